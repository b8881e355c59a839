"""The text for a bug report: what helps is in it, what is private is planted and not found."""

from __future__ import annotations

import getpass
import platform
import subprocess
import sys
import types
from pathlib import Path

import pytest

from desktop_app import __version__
from desktop_app.cli import main as cli
from desktop_app.commands import doctor
from desktop_app.health import report
from desktop_app.health.check import Check
from desktop_app.health.report import Machine, Said
from desktop_app.settings.declared import Geometry, Settings
from desktop_app.settings.store import default_path
from engine.gpu import GpuReading
from engine.types import EngineStats, Percentiles
from models.catalogue import load

ROOT = Path(__file__).parents[2]
USER, FULL_NAME, HOST = "annegret", "Annegret Quistorp", "quistorp-laptop"
SPOKEN = "meet me at the old lighthouse"
DEVICE = "Annegret's WH-1000XM4"
PRIVATE = (
    USER, "Quistorp", HOST, SPOKEN, "lighthouse", DEVICE, "WH-1000XM4", "Dokumente", "geheim",
    "hunter2", "192.168.7.42", "streaming.example", "cosy-corner", "my-divorce-notes", "Kapitel",
    "Plauderecke", "/home", "/opt",
)  # fmt: skip
"""What is planted below, in one place or in several."""


@pytest.fixture(autouse=True)
def somebody(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A computer and a user with names."""
    home = tmp_path / "home" / USER
    home.mkdir(parents=True)
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(home))
    for name in ("USER", "LOGNAME", "USERNAME", "LNAME"):
        monkeypatch.setenv(name, USER)
    monkeypatch.setenv("HOSTNAME", HOST)
    monkeypatch.setattr(platform, "node", lambda: f"{HOST}.local")
    monkeypatch.setattr(getpass, "getuser", lambda: USER)
    if sys.platform != "win32":
        import pwd

        entry = types.SimpleNamespace(pw_gecos=f"{FULL_NAME},,,")
        monkeypatch.setattr(pwd, "getpwuid", lambda _uid: entry)
    return home


def settings(home: Path) -> Settings:
    """All that can be private set to something that is."""
    return Settings(
        source=f"mic:{DEVICE}",
        model="my-divorce-notes",
        lane_name_mic=FULL_NAME,
        lane_name_system="Plauderecke",
        language="de",
        outputs_srt=True,
        outputs_folder=str(home / "Dokumente" / "geheim"),
        live_text_file="/opt/geheim/live.txt",
        obs_host="192.168.7.42",
        obs_text_source="cosy-corner",
        redis_url="redis://annegret:hunter2@streaming.example:6379/0",
        models_mirror="https://streaming.example/geheim",
        font_family="Kapitel Sans",
        font_size=40,
        text_colour="#ffcc00",
        theme="light",
        hotkeys={"toggle_visible": "Ctrl+Alt+hunter2"},
        geometry={f"{HOST}-screen": Geometry(x=1, y=2, width=3, height=4)},
    )


def stats(home: Path) -> EngineStats:
    return EngineStats(
        state="running",
        model_id="my-divorce-notes",
        next_model_id="whisper-base.en",
        provider="cpu",
        provider_asked="cuda",
        provider_reason=f"no driver in {home}/Meine Dokumente/geheim: ask {USER}@streaming.example"
        f" on {HOST} (192.168.7.42:80), see '/opt/geheim/x.so', C:\\Users\\{USER}\\geheim",
        audio_s=100.0,
        rtf=0.31,
        lag_s=0.12,
        lost_samples=480,
        level_dbfs={"mic": -23.0, DEVICE: -40.0},
        peak_dbfs={"mic": -9.0},
        speaking=frozenset({"mic"}),
        first_latency=Percentiles(212.0, 480.0),
        stable_latency=Percentiles(540.0, 1320.0),
        words=1204,
        segments=88,
    )


def the_report(home: Path) -> str:
    machine = Machine(0.42, 250 * 2**20, GpuReading("NVIDIA H200", 6 << 30, 24 << 30, 91))
    notices = (Said(1e9, "source.lost"), Said(1e9 + 60, SPOKEN), Said(1e9 + 61, "engine.behind"))
    screen = f"xcb, 1920 x 1080 at 150 %, {HOST}"
    return report.running_report(stats(home), machine, settings(home), notices, screen)


def test_nothing_private_is_in_it(somebody: Path) -> None:
    text = the_report(somebody).lower()
    assert [planted for planted in PRIVATE if planted.lower() in text] == []


def test_every_setting_that_differs_is_named(somebody: Path) -> None:
    told = dict(report.differing(settings(somebody)))
    assert told == {
        "source": "mic",
        "model": "one that is not in the catalogue",
        "lane_name_mic": "changed",
        "lane_name_system": "changed",
        "language": "de",
        "outputs_srt": "True",
        "outputs_folder": "changed",
        "live_text_file": "changed",
        "obs_host": "changed",
        "obs_text_source": "changed",
        "redis_url": "changed",
        "models_mirror": "changed",
        "font_family": "changed",
        "font_size": "40",
        "text_colour": "#ffcc00",
        "theme": "light",
        "hotkeys": "changed",
        "geometry": "changed",
    }
    assert report.differing(Settings()) == []


def test_a_text_that_somebody_typed_is_never_shown() -> None:
    """Also of settings that do not exist yet: only these may hold what is repeated."""
    told = {"source", "model", "language"}
    for name, field in Settings.model_fields.items():
        if field.annotation is str and name not in told:
            assert report._value(name, SPOKEN, field.annotation) == "changed", name
    assert report._value("language", "anna", str) == "changed"
    assert report._value("source", "/opt/geheim/talk.wav", str) == "a file"
    assert report._value("source", "app:Plauderecke", str) == "app"


def test_what_helps_is_in_it(somebody: Path) -> None:
    lines = [" ".join(line.split()) for line in the_report(somebody).splitlines()]
    for wanted in (
        f"captionglass {__version__}",
        f"Python {platform.python_version()}",
        "this program 0.42 cores, 250 MiB",
        "GPU NVIDIA H200, 6.0 of 24.0 GiB, 91 % busy",
        "state running",
        "going over to whisper-base.en",
        "provider cpu",
        "asked for cuda",
        "first shown p50 212 ms, p95 480 ms",
        "stable p50 540 ms, p95 1320 ms",
        "real-time factor 0.31",
        "behind 0.12 s",
        "lost samples 480",
        "level of mic -23 dBFS, peak -9, speech",
    ):
        assert wanted in lines
    codes = [line.split()[-1] for line in lines[lines.index("Last notices") + 1 :][:2]]
    assert codes == ["source.lost", "engine.behind"]
    reason = next(line for line in lines if line.startswith("reason"))
    assert reason.startswith("reason no driver in (path): ask (path) on (name)")


def test_a_library_s_name_survives_the_cleaning() -> None:
    reason = (
        "CUDA 13 runtime not found (libcublasLt.so.13): pip install 'onnxruntime-gpu[cuda,cudnn]'"
    )
    assert report.clean(reason) == reason


def test_models_are_told_without_one_s_own_words() -> None:
    shipped = load().default
    assert report.describe_model(shipped).startswith(shipped)
    assert report.describe_model("my-divorce-notes") == "one that is not in the catalogue"
    assert report.describe_model("") == "none"


def test_what_weights_are_made_of_is_read_from_their_names() -> None:
    made = {report.weights(spec) for spec in load()}
    assert "int8" in made
    assert report.weights(load().get(load().default)) == ""


@pytest.mark.parametrize(
    ("kind", "desktop", "told"),
    [
        ("wayland", "ubuntu:GNOME", "wayland, ubuntu, GNOME"),
        ("x11", USER, "x11"),
        (USER, "", "no session type"),
    ],
)
def test_the_session_is_one_of_those_known(
    monkeypatch: pytest.MonkeyPatch, kind: str, desktop: str, told: str
) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("XDG_SESSION_TYPE", kind)
    monkeypatch.setenv("XDG_CURRENT_DESKTOP", desktop)
    assert report._session() == told


def test_doctor_writes_one_file(
    somebody: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    place = default_path()
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(
        f'font_size = 40\noutputs_folder = "{(somebody / "geheim").as_posix()}"\nlines = 900\n',
        encoding="utf-8",
    )
    checks = [
        Check("provider", True, f"cpu runs, see {somebody}/geheim"),
        Check("sound inputs", True, DEVICE),
        Check("models", False, f"damaged in {somebody}", f"ask {USER}", needed=True),
    ]
    monkeypatch.setattr(doctor, "examine", lambda: checks)
    file = somebody / "report.txt"
    assert cli.run(["doctor", "--report", str(file)]) == 1
    text = file.read_text(encoding="utf-8")
    assert [planted for planted in PRIVATE if planted.lower() in text.lower()] == []
    lines = [" ".join(line.split()) for line in text.splitlines()]
    assert "provider ok: cpu runs, see (path)" in lines
    assert "sound inputs ok" in lines
    assert "models problem" in lines
    assert "font_size 40" in lines
    assert "outputs_folder changed" in lines
    assert "settings.broken" in lines
    assert capsys.readouterr().out == f"the report is in {file}\n"
    assert sorted(each.name for each in place.parent.iterdir()) == [place.name]


def test_a_report_that_cannot_be_written_is_one_line(
    somebody: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(doctor, "examine", lambda: [Check("provider", True, "fine")])
    assert cli.run(["doctor", "--report", str(somebody / "no" / "report.txt")]) == 1
    assert "cannot be written" in capsys.readouterr().err


def test_it_needs_no_qt() -> None:
    probe = (
        "import sys\n"
        "from desktop_app.health.report import running_report\n"
        "from desktop_app.settings.declared import Settings\n"
        "from engine.types import EngineStats\n"
        "print(running_report(EngineStats('starting'), None, Settings()))\n"
        "sys.exit('PySide6' in sys.modules)\n"
    )
    answer = subprocess.run([sys.executable, "-c", probe], cwd=ROOT, capture_output=True, text=True)
    assert answer.returncode == 0, answer.stderr
    assert answer.stdout.startswith("Captionglass report\n")
