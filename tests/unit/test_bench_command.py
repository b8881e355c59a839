"""``captionglass bench`` as it is typed: what it refuses, prints and writes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from fixtures_cli import refused
from fixtures_recordings import ASSETS, AUDIO

from desktop_app.cli import main as cli
from desktop_app.commands.bench import parse_profiles
from engine.bench import contender, machine, runner
from engine.bench.contender import Played
from engine.bench.report import Report, Row
from engine.bench.runner import Plan
from engine.errors import RecognizerError, UsageError

CLEAN = AUDIO / "en_clean"
MANIFEST = AUDIO / "manifest.tsv"


@pytest.fixture
def plans(monkeypatch: pytest.MonkeyPatch, store: Path) -> list[Plan]:
    """What was asked of the engine, which measures nothing."""
    del store
    asked: list[Plan] = []

    def run(plan: Plan, tell: object) -> Report:
        del tell
        asked.append(plan)
        row = Row("fast")
        row.add(plan.recordings[0], Played((), 1.0, 0.25, 0.2))
        return Report(
            plan.version, "tiny", "cpu", plan.virtual_time, machine.describe(), [], [],
            plan.recordings, None, [row], [],
        )  # fmt: skip

    monkeypatch.setattr(runner, "run", run)
    return asked


@pytest.mark.usefixtures("store")
@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["WAV"], "Missing option '--reference'"),
        (["--reference", "TSV"], "Missing argument 'AUDIO...'"),
        (["WAV", "--reference", "TMP/none.tsv"], "there is no manifest"),
        (["WAV", "--reference", "WAV"], "the manifest"),
        (["WAV", "--reference", "TMP"], "the manifest"),
        (["TMP/none.wav", "--reference", "TSV"], "there is no file"),
        (["TMP", "--reference", "TSV"], "there is no sound file in"),
        (["WAV", "--reference", "TSV", "--profiles", "fastest,slow"], "no profile is called"),
        (["WAV", "--reference", "TSV", "--model", "silero-vad"], "does not turn speech into"),
        (["WAV", "--reference", "TSV", "--model", "moonshine"], "did you mean moonshine-tiny-en"),
        (["WAV", "--reference", "TSV", "--json", "TMP"], "--json: "),
        (["WAV", "--reference", "TSV", "--json", "TMP/no/x"], "does not exist"),
        (["WAV", "--reference", "TSV", "--json", "N" * 300], "no name for a file"),
        (["WAV", "--reference", "TSV", "--limit-seconds", "1"], "allow at least"),
        (["WAV", "--reference", "TSV", "--virtual-time", "--peers"], "exclude one another"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_wrong_request_is_one_line_and_exit_code_2(
    arguments: list[str], says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "empty").mkdir()
    named = {"WAV": ASSETS / "demo.wav", "TSV": MANIFEST, "TMP": tmp_path / "empty"}
    for name, path in named.items():
        arguments = [word.replace(name, str(path)) for word in arguments]
    assert cli.run(["bench", *arguments]) == 2
    assert says in refused(capsys)


def test_all_stops_are_measured_where_none_is_named(
    plans: list[Plan], capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.run(["bench", str(CLEAN), "--reference", str(MANIFEST)]) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    assert captured.out.splitlines()[1].startswith("fast")
    (plan,) = plans
    assert [profile.name for profile in plan.profiles] == [
        "fastest", "fast", "balanced", "steady", "accurate",
    ]  # fmt: skip
    assert len(plan.recordings) == len(list(CLEAN.glob("*.flac")))
    assert not plan.virtual_time
    assert plan.peers == ()


def test_what_is_asked_is_what_is_measured(plans: list[Plan], tmp_path: Path) -> None:
    out = tmp_path / "结果 📊.json"
    options = ["--profiles", "steady,30,steady", "--peers", "--peer-python", "/opt/python"]
    options += ["--limit-seconds", "12", "--json", str(out), "--provider", "cpu"]
    assert cli.run(["bench", str(CLEAN), "--reference", str(MANIFEST), *options]) == 0
    (plan,) = plans
    assert [profile.name for profile in plan.profiles] == ["steady", "30"]
    assert plan.peers == contender.PEERS
    assert (plan.peer_python, plan.provider) == ("/opt/python", "cpu")
    assert 0 < sum(recording.seconds for recording in plan.recordings) <= 12
    assert json.loads(out.read_text(encoding="utf-8"))["rows"][0]["cores"] == 0.25


def test_a_file_that_cannot_be_written_fails_after_the_table(
    plans: list[Plan],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    out = tmp_path / "out.json"
    measure = runner.run

    def run(plan: Plan, tell: Callable[[str], None]) -> Report:
        out.mkdir()
        return measure(plan, tell)

    monkeypatch.setattr(runner, "run", run)
    assert cli.run(["bench", str(CLEAN), "--reference", str(MANIFEST), "--json", str(out)]) == 1
    captured = capsys.readouterr()
    assert len(plans) == 1
    assert captured.out.splitlines()[1].startswith("fast")
    assert "out.json' cannot be written" in captured.err


@pytest.mark.usefixtures("store")
def test_a_model_that_will_not_load_is_one_line_and_exit_code_1(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(plan: Plan, tell: object) -> Report:
        del plan, tell
        raise RecognizerError("the model would not load", "fetch it again")

    monkeypatch.setattr(runner, "run", fail)
    assert cli.run(["bench", str(CLEAN), "--reference", str(MANIFEST)]) == 1
    assert refused(capsys) == "captionglass: the model would not load: fetch it again"


def test_profiles_are_names_or_positions() -> None:
    assert [profile.position for profile in parse_profiles("0, 12.5,accurate")] == [0, 12.5, 100]
    with pytest.raises(UsageError):
        parse_profiles("fast,")
