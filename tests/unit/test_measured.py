"""The file of measured stops: what comes back from it, and what is passed over."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine.bench import machine
from engine.bench.measure import excerpt, figures, require_language
from engine.bench.measured import MeasuredFile, Measurement, StopFigures, default_path, measurement
from engine.bench.report import Row
from engine.config import STOPS
from engine.errors import CaptionglassError, UsageError
from models import catalogue

FIGURES = StopFigures(196.0, 211.8, 0.061, 0.29)
DONE = Measurement("moonshine-tiny-en", "cpu", "0.1.0", dict.fromkeys(STOPS, FIGURES))


@pytest.fixture
def file(tmp_path: Path) -> MeasuredFile:
    return MeasuredFile(tmp_path / "cache" / "measured.json")


def test_what_was_measured_comes_back(file: MeasuredFile) -> None:
    file.save(DONE)
    assert MeasuredFile(file.path).load("moonshine-tiny-en", "0.1.0") == DONE
    assert [path.name for path in file.path.parent.iterdir()] == ["measured.json"]


def test_it_lies_in_the_users_cache(own_folders: Path) -> None:
    assert default_path().is_relative_to(own_folders)


def test_another_model_provider_or_version_was_not_measured(file: MeasuredFile) -> None:
    file.save(DONE)
    assert file.load("whisper-base", "0.1.0") is None
    assert file.load("moonshine-tiny-en", "0.2.0") is None
    assert file.load("moonshine-tiny-en", "0.1.0", "cuda") is None
    assert file.load("moonshine-tiny-en", "0.1.0", "cpu") == DONE


def test_each_model_is_kept_and_measuring_again_replaces(file: MeasuredFile) -> None:
    file.save(DONE)
    file.save(replace(DONE, model="whisper-base"))
    again = replace(DONE, stops=dict.fromkeys(STOPS, replace(FIGURES, cores=0.5)))
    file.save(again)
    assert file.load("whisper-base", "0.1.0") is not None
    assert file.load("moonshine-tiny-en", "0.1.0") == again
    assert len(json.loads(file.path.read_text(encoding="utf-8"))["measurements"]) == 2


def test_on_another_machine_nothing_was_measured(
    file: MeasuredFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    file.save(DONE)
    monkeypatch.setattr(machine, "describe", lambda: {"cpu": "another", "cores": 64})
    assert file.load("moonshine-tiny-en", "0.1.0") is None


def stored(file: MeasuredFile) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(file.path.read_text(encoding="utf-8"))
    return content


@pytest.mark.parametrize(
    "change",
    [
        {"format": 2},
        {"format": None},
        {"measurements": {}},
        {"measurements": [None]},
        {"measurements": [{"model": "moonshine-tiny-en"}]},
    ],
)
def test_a_file_of_another_kind_was_not_measured(
    file: MeasuredFile, change: dict[str, object]
) -> None:
    file.save(DONE)
    file.path.write_text(json.dumps(stored(file) | change), encoding="utf-8")
    assert file.load("moonshine-tiny-en", "0.1.0") is None


@pytest.mark.parametrize("value", [None, "0.2", True, [], float("nan"), float("inf")])
def test_a_figure_that_is_no_number_spoils_the_file(file: MeasuredFile, value: object) -> None:
    file.save(DONE)
    content = stored(file)
    content["measurements"][0]["stops"]["fast"]["cores"] = value
    file.path.write_text(json.dumps(content), encoding="utf-8")
    assert file.load("moonshine-tiny-en", "0.1.0") is None


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"[1, 2]", b'"text"', b"{", b"[" * 100_000])
def test_a_broken_file_is_replaced_by_the_next_measurement(
    file: MeasuredFile, content: bytes
) -> None:
    file.path.parent.mkdir()
    file.path.write_bytes(content)
    assert file.load("moonshine-tiny-en", "0.1.0") is None
    file.save(DONE)
    assert file.load("moonshine-tiny-en", "0.1.0") == DONE


def test_a_folder_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file where the folder should be", encoding="utf-8")
    with pytest.raises(CaptionglassError, match="the figures cannot be kept"):
        MeasuredFile(tmp_path / "cache" / "measured.json").save(DONE)


def test_a_write_that_fails_leaves_the_old_file_and_nothing_beside(
    file: MeasuredFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    file.save(DONE)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(CaptionglassError, match="No space left"):
        file.save(replace(DONE, model="whisper-base"))
    assert [path.name for path in file.path.parent.iterdir()] == ["measured.json"]
    assert file.load("moonshine-tiny-en", "0.1.0") == DONE


def test_a_stop_is_missing() -> None:
    with pytest.raises(LookupError):
        measurement({"model": "m", "provider": "cpu", "version": "1", "stops": {}})


def test_the_excerpt_holds_whole_words_of_the_demo() -> None:
    from assets import ASSETS

    recording, samples = excerpt(ASSETS / "demo.wav")
    assert samples.size == round(recording.seconds * 16_000)
    assert 15 <= recording.seconds <= 20
    assert len(recording.ends) == 48
    assert recording.ends[-1] == ("darkness", 16.72)


def test_a_model_that_understood_nothing_has_no_figures() -> None:
    with pytest.raises(CaptionglassError, match="understood nothing"):
        figures(Row("fast"))


def test_a_model_without_english_is_refused() -> None:
    spec = catalogue.load().get("moonshine-tiny-en")
    require_language(spec)
    require_language(replace(spec, languages=()))
    with pytest.raises(UsageError, match="does not know English"):
        require_language(replace(spec, languages=("zh",)))
