"""``captionglass models``: what each command prints, and that it does what it says."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from fixtures_cli import refused
from fixtures_hub import LocalHub, contents
from fixtures_recordings import ASSETS
from test_add_folder import WHISPER, lay

from desktop_app.cli import main as cli
from engine.bench.compare import Row, _against_float, _units
from models import catalogue
from models.errors import ModelMissingError
from models.spec import ModelSpec
from models.store import ModelStore

MANIFEST = "path\tseconds\tlanguage\ttranscript\n"


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty models folder."""
    folder = tmp_path / "模型 🎬"
    monkeypatch.setenv("CAPTIONGLASS_MODELS", str(folder))
    return folder


def listed(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, dict[str, object]]:
    assert cli.run(["models", "list", "--json", *arguments]) == 0
    return {row["id"]: row for row in json.loads(capsys.readouterr().out)}


@pytest.mark.usefixtures("root")
def test_the_list_says_what_a_model_is_for_and_where_nobody_is_certain(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert cli.run(["models", "list"]) == 0
    lines = {line.split()[0].strip("*"): line for line in capsys.readouterr().out.splitlines()}
    assert "MIT" in lines["whisper-tiny"]
    assert "en,zh +97" in lines["whisper-tiny"]
    assert "Any of 99 languages" in lines["whisper-tiny"]
    assert "not pinned yet" not in lines["whisper-tiny"]
    assert "not pinned yet" in lines["parakeet-tdt-0.6b-v2"]
    assert "~661 MB" in lines["parakeet-tdt-0.6b-v2"]


@pytest.mark.usefixtures("root")
def test_the_list_of_a_language_marks_the_best(capsys: pytest.CaptureFixture[str]) -> None:
    rows = listed(capsys, "--language", "zh-CN")
    assert "zipformer-zh-en" in rows
    assert "moonshine-tiny-en" not in rows
    assert cli.run(["models", "list", "--language", "zh-CN"]) == 0
    marked = [line for line in capsys.readouterr().out.splitlines() if line.startswith("*")]
    assert [line.split()[1] for line in marked] == ["zipformer-zh-en"]
    assert cli.run(["models", "list", "--language", "tlh"]) == 2
    assert "no model captions the language 'tlh'" in refused(capsys)


def test_the_list_of_what_is_installed(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = listed(capsys, "--installed")
    assert set(rows) == {path.name for path in store.glob("[!.]*")}
    assert all(row["pinned"] for row in rows.values())


def test_a_folder_is_added_listed_verified_and_removed(
    root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = lay(tmp_path / "mein Modell 字幕", WHISPER)
    assert cli.run(["models", "add", str(folder), "--id", "mine", "--language", "zh"]) == 0
    out = capsys.readouterr().out
    assert out == f"mine is a model for whisper (zh), used where it lies, in {folder}\n"
    row = listed(capsys, "--installed")["mine"]
    assert (row["state"], row["family"], row["folder"]) == ("installed", "whisper", str(folder))
    assert cli.run(["models", "verify", "mine"]) == 0
    assert "mine is whole" in capsys.readouterr().out
    assert cli.run(["models", "add", str(folder), "--id", "mine"]) == 1
    assert "there is a model mine already" in refused(capsys)
    assert cli.run(["models", "remove", "mine"]) == 0
    assert f"{folder} stays as it is" in capsys.readouterr().out
    assert (folder / "model.bin").exists()
    assert cli.run(["models", "add", str(folder), "--copy"]) == 0
    assert "copied into" in capsys.readouterr().out
    assert (root / "mein-modell" / "model.bin").exists()


@pytest.mark.usefixtures("root")
def test_a_folder_that_is_no_model_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = lay(tmp_path / "x", {"model.bin": WHISPER["model.bin"]})
    assert cli.run(["models", "add", str(folder)]) == 1
    assert "has no config.json and no tokenizer.json" in refused(capsys)


def test_get_fetches_from_the_hub_and_verify_finds_a_flipped_byte(
    root: Path,
    local_hub: LocalHub,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    spec = local_hub.model(pinned=False, **contents())
    known = catalogue.Catalogue((spec, *catalogue.load().models), "moonshine-tiny-en", "silero-vad")
    monkeypatch.setattr("desktop_app.commands.models.load", lambda: known)
    assert cli.run(["models", "get", "far.en"]) == 0
    captured = capsys.readouterr()
    assert f"far.en is installed in {root / 'far.en'}" in captured.out
    assert "fetching far.en (1 MB)" in captured.err
    assert cli.run(["models", "verify", "far.en"]) == 0
    weights = root / "far.en" / "weights.bin"
    flipped = bytearray(weights.read_bytes())
    flipped[77] ^= 1
    weights.write_bytes(flipped)
    capsys.readouterr()
    assert cli.run(["models", "verify", "far.en"]) == 1
    assert "weights.bin does not have the right sha256" in refused(capsys)


def test_the_mirror_of_the_settings_is_asked_and_the_environment_goes_before(
    root: Path,
    local_hub: LocalHub,
    own_folders: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    del root, capsys
    spec = local_hub.model(**contents())
    known = catalogue.Catalogue((spec, *catalogue.load().models), "moonshine-tiny-en", "silero-vad")
    monkeypatch.setattr("desktop_app.commands.models.load", lambda: known)
    monkeypatch.setattr("models.hub._chosen", "")
    monkeypatch.delenv("HF_ENDPOINT")
    settings = own_folders / "config" / "captionglass" / "settings.toml"
    settings.parent.mkdir(parents=True, exist_ok=True)
    settings.write_text(f'models_mirror = "{local_hub.url}/"\n', encoding="utf-8")
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    assert cli.run(["models", "get", "far.en"]) == 1
    monkeypatch.delenv("HF_ENDPOINT")
    assert cli.run(["models", "get", "far.en"]) == 0
    assert local_hub.metadata == 2


# -- comparing ----------------------------------------------------------------------------------


def row(model: str, wer: float, base: str = "a", precision: str = "") -> Row:
    return Row(model, base, precision, "cpu", 1.0, 1.0, 100.0, None, 0.1, 0.1, wer)


def test_a_model_is_compared_with_the_float_one_of_its_base() -> None:
    rows = [row("a", 5.0), row("a-int8", 6.0, precision="int8"), row("b", 9.0, base="b")]
    assert [found.wer_change for found in _against_float(rows)] == [None, 1.0, None]
    rows.append(row("a-float", 4.5, precision="float"))
    assert [found.wer_change for found in _against_float(rows)] == [0.5, 1.5, None, None]


def test_chinese_is_scored_by_the_character() -> None:
    assert _units("今天 天气，好", "zh-CN") == list("今天天气好")
    assert _units("Good day.", "en") == ["good", "day"]


@pytest.mark.usefixtures("store")
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["moonshine-tiny-en"], "name at least one model and one sound file"),
        ([str(ASSETS / "demo.wav")], "name at least one model and one sound file"),
        (["moonshine-tny-en", str(ASSETS / "demo.wav")], "did you mean moonshine-tiny-en?"),
        (["whisper-large-v3", str(ASSETS / "demo.wav")], "whisper-large-v3 is not installed"),
    ],
)
def test_what_cannot_be_compared_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], words: str
) -> None:
    manifest = tmp_path / "manifest.tsv"
    manifest.write_text(MANIFEST, encoding="utf-8")
    assert cli.run(["models", "compare", *arguments, "--reference", str(manifest)]) != 0
    assert words in refused(capsys)


@pytest.mark.usefixtures("store")
def test_models_of_no_common_language_are_not_compared(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    manifest = tmp_path / "manifest.tsv"
    sound = shutil.copy(ASSETS / "demo.wav", tmp_path / "demo.wav")
    manifest.write_text(f"{MANIFEST}demo.wav\t5\tzh\t今天\n", encoding="utf-8")
    asked = ["moonshine-tiny-en", str(sound), "--reference", str(manifest), "--seconds", "999"]
    assert cli.run(["models", "compare", *asked]) == 2
    assert "no recording is in a language that all these models caption" in refused(capsys)


@pytest.mark.slow
def test_a_real_model_is_measured_in_a_process_of_its_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    audio = Path(__file__).parents[1] / "audio"
    recording = audio / "en_clean" / "ljspeech_LJ001-0006.flac"
    folder = Path(shutil.copytree(recording.parent, tmp_path / "声音 🎧"))
    asked = ["moonshine-tiny-en", str(folder / recording.name), "--json"]
    asked += ["--reference", str(audio / "manifest.tsv"), "--seconds", "10"]
    assert cli.run(["models", "compare", *asked]) == 0
    found = json.loads(capsys.readouterr().out)
    (measured,) = found["rows"]
    assert (measured["model"], measured["provider"]) == ("moonshine-tiny-en", "cpu")
    assert measured["wer"] < 30
    assert 50 < measured["peak_rss_mb"] < 1500
    assert measured["disk_mb"] > 40
    assert 0 < measured["cores"] < 5
    assert found["audio_s"] == pytest.approx(5.7, abs=0.2)


@pytest.mark.slow
@pytest.mark.usefixtures("store")
def test_weights_that_are_none_are_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    audio = Path(__file__).parents[1] / "audio"
    asked = ["moonshine-tiny-en", str(audio / "en_clean"), "--seconds", "12"]
    assert cli.run(["models", "compare", *asked, "--reference", str(audio / "manifest.tsv")]) == 1
    last = capsys.readouterr().err.splitlines()[-1]
    assert last.startswith("captionglass: encoder_model.ort would not load")


def test_what_is_not_installed_is_not_quantised(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    del root
    assert cli.run(["models", "quantize", "whisper-tiny", "--to", "int8"]) == 1
    assert "whisper-tiny is not installed" in refused(capsys)


def test_the_store_says_what_is_missing(tmp_path: Path) -> None:
    spec: ModelSpec = catalogue.load(catalogue.CATALOGUE).get("parakeet-tdt-0.6b-v2")
    with pytest.raises(ModelMissingError, match="captionglass models get parakeet"):
        ModelStore(tmp_path).files(spec)
