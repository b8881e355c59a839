"""Each house rule finds what it is for, and lets its own remedy pass."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "house_lint.py"


@pytest.fixture(scope="module")
def lint() -> ModuleType:
    spec = importlib.util.spec_from_file_location("house_lint", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["house_lint"] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("path", "bad", "good"),
    [
        (
            "engine/bus.py",
            "    except Exception:  # noqa: BLE001",
            "    except Exception:  # noqa: BLE001 - one sink must not stop the rest",
        ),
        ("engine/bus.py", "import os  # noqa", "import os  # noqa: F401"),
        ("engine/bus.py", "x = y  # type: ignore", "x = y  # type: ignore[assignment]"),
        ("engine/bus.py", "self.q = queue.Queue()", "self.q = queue.Queue(64)"),
        ("engine/bus.py", "q = SimpleQueue()", "q = Queue(maxsize=8)"),
        (
            "engine/bus.py",
            "t = threading.Thread(target=run)",
            'threading.Thread(target=run, name="bus")',
        ),
        ("desktop_app/ui/tray.py", "time.sleep(1)", "QTimer.singleShot(1000, self.go)"),
        ("engine/bus.py", "p.read_text()", 'p.read_text(encoding="utf-8")'),
        ("models/store.py", "p.write_text(text)", 'p.write_text(text, encoding="utf-8")'),
        ("scripts/run.py", "subprocess.run(line, shell=True)", "subprocess.run(parts)"),
        ("engine/server.py", 'bind("0.0.0.0", 80)', 'bind("127.0.0.1", 80)'),
        ("README.md", "TODO: write this", "This is written."),
        ("README.md", "see https://index.example/project", "see the package's page"),
        ("CHANGELOG.md", "as issue 12 asked", "as asked"),
    ],
)
def test_a_rule_finds_the_bad_line_and_passes_the_good_one(
    lint: ModuleType, path: str, bad: str, good: str
) -> None:
    found = list(lint.check_text(path, f"first\n{bad}\n"))
    assert [(finding.path, finding.line) for finding in found] == [(path, 2)]
    assert list(lint.check_text(path, f"first\n{good}\n")) == []


def test_a_rule_holds_only_in_its_folders(lint: ModuleType) -> None:
    assert list(lint.check_text("tests/unit/test_a.py", "q = queue.Queue()")) == []
    assert list(lint.check_text("README.md", "call queue.Queue()")) == []


def test_a_long_file_is_a_warning_and_names_the_limit(lint: ModuleType) -> None:
    (finding,) = lint.check_text("engine/bus.py", "x = 1\n" * 401)
    assert finding.is_warning
    assert "below 400" in str(finding)
    assert list(lint.check_text("engine/bus.py", "x = 1\n" * 400)) == []
    assert list(lint.check_text("tests/unit/test_bus.py", "x = 1\n" * 401)) == []


def test_breaches_end_with_1_and_warnings_with_0(
    lint: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.setattr(lint, "ROOT", tmp_path)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "engine").mkdir()
    file = tmp_path / "engine" / "long.py"
    file.write_text("x = 1\n" * 500, encoding="utf-8")
    assert lint.main(["engine/long.py"]) == 0
    assert "engine/long.py:500: warning" in capsys.readouterr().out
    file.write_text("q = Queue()\n", encoding="utf-8")
    assert lint.main([]) == 1
    assert "give it a size" in capsys.readouterr().out


def test_binary_files_are_passed_over(
    lint: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lint, "ROOT", tmp_path)
    (tmp_path / "sound.wav").write_bytes(b"RIFF\xff\xfeTODO")
    assert list(lint.check_files(["sound.wav", "gone.py"])) == []
