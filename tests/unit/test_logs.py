"""The log: what has to be in it, what never may, and what a crash leaves behind."""

from __future__ import annotations

import ast
import logging
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from fake_recognizer import SPEC, Listener, ScriptedDetector, script, seconds
from fake_source import PlayedSource

import engine.loading
import engine.worker
from desktop_app import __version__
from desktop_app.application.app import _one_line_for_bugs
from desktop_app.health import logs
from desktop_app.health.check import Check
from desktop_app.health.report import write_doctor_report
from desktop_app.secrets import Secrets
from engine.config import EngineConfig, LatencyProfile
from engine.errors import DeviceError
from engine.session import Session
from engine.sinks.memory import MemorySink
from engine.types import CaptionUpdate
from models import own_program
from models.spec import ModelFiles

ROOT = Path(__file__).parents[2]
WORDS = ["zebra", "quartz", "mallow", "thunder"]
SECRET = "s3cr3t-of-the-test-ü"
DEVICE = "Grandmother's Headset"

CRASHES = """
import faulthandler, sys
from pathlib import Path
from desktop_app.health import logs
with logs.kept("the test", Path(sys.argv[1])) as crashed:
    print(crashed, flush=True)
    if sys.argv[2] == "crash":
        faulthandler._sigsegv()
"""


def written(folder: Path) -> str:
    """All that lies in a log folder."""
    return "\n".join(
        path.read_text(encoding="utf-8", errors="replace")
        for path in sorted(folder.iterdir())
        if path.is_file()
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "log"


class Careless(MemorySink):
    """A sink that tells what it was given when it fails."""

    def update(self, update: CaptionUpdate, published_at: float) -> None:
        super().update(update, published_at)
        raise ValueError(f"cannot write {update.text!r}")


def test_what_was_said_and_what_is_secret_is_never_written(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    talk = script(" ".join(WORDS), start=0.4)
    monkeypatch.setattr(engine.loading, "load", lambda *_: Listener(talk))
    monkeypatch.setattr(engine.worker, "SileroVad", lambda _: ScriptedDetector([(0.4, 2.0)]))
    files = ModelFiles(SPEC, Path("nowhere"))
    config = EngineConfig(model=files, vad=files, profile=LatencyProfile.parse("balanced"))
    source = PlayedSource(seconds(0.0, 4.0), breaks_off=DeviceError(f"{DEVICE} was unplugged"))
    source.description = DEVICE
    heard = MemorySink()
    with logs.kept("the test", folder):
        secrets = Secrets(folder / "secrets.json", environ={})
        secrets.set("obs-password", SECRET)
        session = Session(config, [source], [heard, Careless()])
        session.start()
        assert session.wait(20.0)
        session.stop()
        log = logging.getLogger("engine.somewhere")
        try:
            raise ValueError(f"{WORDS} and {SECRET}") from KeyError(SECRET)
        except ValueError as error:
            log.exception("it failed")
            log.error("it failed again: %s", error)
        thread = threading.Thread(target=_raise, args=(f"{WORDS} {SECRET}",), name="careless")
        with monkeypatch.context() as quiet:
            quiet.setattr(threading, "excepthook", lambda _: None)
            with logs._uncaught_told():
                thread.start()
                thread.join()
    assert [word for word in WORDS if word in heard.text.lower()] == WORDS
    (folder / "secrets.json").unlink()
    text = written(folder)
    lowered = text.lower()
    assert [word for word in (*WORDS, SECRET.lower(), DEVICE.lower()) if word in lowered] == []
    for needed in (
        f"the test begins: captionglass {__version__}",
        "the test ends",
        "fake on ",
        "notice source.broken" if "source.broken" in text else "notice ",
        "sink memory raised ValueError",
        "it failed again: ValueError",
        "on the thread careless",
        "KeyError\n  led to\n  tests/unit/test_logs.py:",
    ):
        assert needed in text, needed


def _raise(text: str) -> None:
    raise RuntimeError(text)


def test_libraries_say_nothing_in_it(folder: Path) -> None:
    with logs.kept("the test", folder):
        logging.getLogger("aiohttp.access").error("GET /?token=%s", SECRET)
        logging.getLogger("engine.bench").debug("too small a matter")
    assert SECRET not in written(folder)
    assert "too small" not in written(folder)


def test_what_qt_catches_in_a_slot_is_written(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with logs.kept("the test", folder), _one_line_for_bugs(debug=False):
        try:
            _raise("of a slot")
        except RuntimeError as error:
            sys.excepthook(RuntimeError, error, error.__traceback__)
    text = written(folder)
    assert "RuntimeError" in text
    assert "test_logs.py" in text
    assert "of a slot" not in text
    assert "of a slot" in capsys.readouterr().err


def test_three_files_in_turn_and_no_more(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logs, "_BYTES", 2000)
    with logs.kept("the test", folder):
        for number in range(200):
            logging.getLogger("engine").info("line %d of many", number)
    files = sorted(path.name for path in folder.glob("captionglass*"))
    assert files == ["captionglass.log", "captionglass.log.1", "captionglass.log.2"]
    assert all((folder / name).stat().st_size <= 2000 for name in files)
    assert "line 199 of many" in written(folder)


def test_the_terminal_shows_what_it_did_before(folder: Path) -> None:
    shown: list[str] = []

    class Shown(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            shown.append(record.getMessage())

    terminal = Shown()
    root = logging.getLogger()
    before = root.level
    root.addHandler(terminal)
    root.setLevel(logging.CRITICAL)
    try:
        with logs.kept("the test", folder):
            logging.getLogger("engine").warning("for the file alone")
        assert terminal.level == logging.NOTSET
    finally:
        root.removeHandler(terminal)
        root.setLevel(before)
    assert shown == []
    assert "for the file alone" in written(folder)


def test_two_programs_write_files_of_their_own(folder: Path) -> None:
    with logs.kept("the first", folder), logs.kept("the second", folder) as crashed:
        assert not crashed
    assert "the second begins" not in (folder / "captionglass.log").read_text().partition("\n")[0]
    assert "the second begins" in (folder / "captionglass-2.log").read_text()
    assert list(folder.glob("crash*")) == []


def test_without_a_folder_the_program_runs_without_a_log(tmp_path: Path) -> None:
    (tmp_path / "log").write_text("in the way")
    with logs.kept("the test", tmp_path / "log") as crashed:
        logging.getLogger("engine").error("to nobody")
    assert not crashed


def test_a_full_disk_stops_nothing(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with logs.kept("the test", folder):
        handler = next(
            each for each in logging.getLogger("engine").handlers if isinstance(each, logs._File)
        )

        def refuse(_: str) -> int:
            raise OSError(28, "No space left on device")

        stream = handler.stream
        assert stream is not None
        stream.write = refuse  # type: ignore[method-assign]
        logging.getLogger("engine").error("dropped")
        really = stream.close

        def close() -> None:
            really()
            refuse("")

        stream.close = close  # type: ignore[method-assign]
    assert capsys.readouterr().err == ""


def test_a_crash_is_kept_and_told_once(folder: Path) -> None:
    def start(how: str) -> tuple[int, str]:
        done = subprocess.run(
            [sys.executable, "-P", "-c", CRASHES, str(folder), how],
            env=own_program.environment(),
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
        return done.returncode, done.stdout.strip()

    code, told = start("crash")
    assert (code != 0, told) == (True, "False")
    assert start("end well") == (0, "True")
    assert start("end well") == (0, "False")
    trace = "\n".join(logs.last_crash(folder))
    assert "Segmentation fault" in trace or "access violation" in trace
    assert "  <string>:8 <module>" in trace
    assert "the test begins" in "\n".join(logs.tail(5, folder))
    assert sorted(path.name for path in folder.glob("crash*")) == [logs.CRASH]


def test_the_report_holds_the_end_of_the_log_and_the_crash(tmp_path: Path) -> None:
    with logs.kept("the test"):
        logging.getLogger("engine.sinks.obs").warning("OBS at %s: OSError", "192.0.2.7:4455")
        try:
            _raise(SECRET)
        except RuntimeError:
            logging.getLogger("engine").exception("it failed")
    home = Path.home() / "a folder" / "captionglass" / "engine.py"
    trace = f'Fatal Python error: Aborted\n\n  File "{home}", line 7 in run\n'
    (logs.folder() / logs.CRASH).write_text(trace, encoding="utf-8")
    report = tmp_path / "report.txt"
    write_doctor_report(report, [Check("program", True, "captionglass")])
    text = report.read_text(encoding="utf-8")
    for needed in (
        "INFO desktop_app.health.logs: the test begins",
        "tests/unit/test_logs.py:",
        "Aborted",
        "captionglass/engine.py:7 run",
        "OBS at (address): OSError",
    ):
        assert needed in text, needed
    assert [private for private in (SECRET, "192.0.2.7", str(Path.home())) if private in text] == []


def test_no_log_line_is_given_text_of_a_caption_or_a_secret() -> None:
    """By the names in the call: the tests above cannot come by every line."""
    risky = {
        "text", "texts", "words", "word", "caption", "captions", "update", "updates", "hypothesis",
        "stable", "unstable", "secret", "secrets", "password", "token", "header", "headers",
        "description", "transcript", "line", "lines", "prompt", "url", "address",
    }  # fmt: skip
    allowed = {("engine/bus.py", "header")}  # the model's id, the provider, the profile
    found = []
    for room in logs.OURS:
        for path in sorted((ROOT / room).rglob("*.py")):
            name, code = path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")
            for call in ast.walk(ast.parse(code)) if "import logging" in code else ():
                if _logs(call):
                    named = {
                        each.id if isinstance(each, ast.Name) else each.attr
                        for argument in call.args  # type: ignore[attr-defined]
                        for each in ast.walk(argument)
                        if isinstance(each, (ast.Name, ast.Attribute))
                    }
                    found += [
                        f"{name}:{call.lineno} {each}"  # type: ignore[attr-defined]
                        for each in named & risky
                        if (name, each) not in allowed
                    ]
    assert found == []


def _logs(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in ("debug", "info", "warning", "error", "exception", "critical", "log")
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id in ("log", "_log", "logger", "logging")
    )
