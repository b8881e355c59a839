"""``scripts/run.py`` from the outside: a real environment, a real pip, wheels of a few bytes."""

from __future__ import annotations

import functools
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from small_checkout import REPOSITORY, SmallCheckout

pytestmark = pytest.mark.slow

_SAID_NOTHING = ""


@pytest.fixture
def checkout(tmp_path: Path) -> SmallCheckout:
    """Nothing is set up yet."""
    return SmallCheckout.make(tmp_path)


@pytest.fixture(scope="module")
def prototype(tmp_path_factory: pytest.TempPathFactory) -> SmallCheckout:
    """Set up once; copied, never used."""
    checkout = SmallCheckout.make(tmp_path_factory.mktemp("prototype"))
    first = checkout.run()
    assert first.returncode == 0, first.stderr
    return checkout


@pytest.fixture
def ready(prototype: SmallCheckout, tmp_path: Path) -> SmallCheckout:
    """Set up, and then moved to a folder with a difficult name."""
    return prototype.moved_to(tmp_path / "ein Ordner 字幕 🎙")


def one_line(text: str) -> str:
    """The only line; fails where there are more, or a traceback."""
    lines = [line for line in text.splitlines() if not line.startswith("captionglass: making")]
    lines = [line for line in lines if not line.startswith("captionglass: installing packages")]
    assert len(lines) == 1, text
    assert "Traceback" not in text
    return lines[0]


def test_first_start_sets_up_and_passes_everything_on(
    checkout: SmallCheckout, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "elsewhere"
    (elsewhere / "models").mkdir(parents=True)  # must not be taken for ours
    (elsewhere / "models" / "__init__.py").write_text("raise SystemExit(99)", encoding="utf-8")
    checkout.environment["EXIT_WITH"] = "3"

    first = checkout.run("caption", "a b.wav", "--profile", "字幕", cwd=elsewhere)

    assert first.returncode == 3, first.stderr
    assert json.loads(first.stdout) == {
        "arguments": ["caption", "a b.wav", "--profile", "字幕"],
        "cwd": str(elsewhere),
        "tinylib": "1.0",
    }
    assert "tiny.en: installed" in first.stderr
    assert (tmp_path / "models" / "tiny-vad" / "weights.bin").stat().st_size == 2000


def test_second_start_does_nothing_and_a_move_changes_nothing(ready: SmallCheckout) -> None:
    before = ready.state()
    # Nothing could be installed or asked: there are no wheels, and no other programs.
    ready.environment |= {"PIP_FIND_LINKS": "", "PATH": ""}

    second = ready.run("caption")

    assert (second.returncode, second.stderr) == (0, _SAID_NOTHING)
    assert json.loads(second.stdout)["arguments"] == ["caption"]
    assert ready.state() == before


def test_killed_while_installing_then_started_again(checkout: SmallCheckout) -> None:
    process = checkout.start()
    assert process.stderr is not None
    for line in process.stderr:
        if "installing packages" in line:
            process.kill()
            break
    process.wait()
    process.communicate()
    assert not (checkout.root / ".venv" / "captionglass.json").exists()

    again = checkout.run()

    assert again.returncode == 0, again.stderr
    assert "making .venv" in again.stderr
    assert checkout.run().stderr == _SAID_NOTHING


def test_two_first_starts_at_once_make_one_environment(checkout: SmallCheckout) -> None:
    processes = [checkout.start(str(number)) for number in range(2)]
    ends = [process.communicate(timeout=120) for process in processes]
    assert [process.returncode for process in processes] == [0, 0], ends
    assert "".join(err for _, err in ends).count("making .venv") == 1
    assert sorted(json.loads(out)["arguments"] for out, _ in ends) == [["0"], ["1"]]


def test_a_changed_lock_is_installed_in_place(ready: SmallCheckout) -> None:
    mine = ready.root / ".venv" / "mine"
    mine.touch()
    ready.lock("cpu.txt", "2.0")

    updated = ready.run()

    assert json.loads(updated.stdout)["tinylib"] == "2.0"
    assert mine.exists()
    assert ready.run().stderr == _SAID_NOTHING


def test_the_other_onnxruntime_makes_it_anew(ready: SmallCheckout) -> None:
    mine = ready.root / ".venv" / "mine"
    mine.touch()
    ready.lock("gpu.txt", "3.0")
    ready.environment["CAPTIONGLASS_RUNTIME"] = "gpu"

    changed = ready.run()

    assert json.loads(changed.stdout)["tinylib"] == "3.0"
    assert not mine.exists()
    assert ready.stamp()["locks"].keys() == {"gpu.txt"}


def test_a_lost_interpreter_makes_it_anew(ready: SmallCheckout) -> None:
    for python in (ready.root / ".venv").glob("bin/python*"):
        python.unlink()
    repaired = ready.run()
    assert repaired.returncode == 0, repaired.stderr
    assert "making .venv" in repaired.stderr


def test_an_environment_made_by_hand_is_completed_not_thrown_away(checkout: SmallCheckout) -> None:
    venv = checkout.root / ".venv"
    subprocess.run([sys.executable, "-m", "venv", str(venv)], check=True)
    (venv / "mine").touch()
    finished = checkout.run()
    assert finished.returncode == 0, finished.stderr
    assert (venv / "mine").exists()
    assert checkout.stamp()["locks"].keys() == {"cpu.txt"}


def test_offline_is_one_line_and_the_next_try_works(checkout: SmallCheckout) -> None:
    online = dict(checkout.environment)
    del checkout.environment["PIP_NO_INDEX"], checkout.environment["PIP_FIND_LINKS"]
    checkout.environment["PIP_INDEX_URL"] = "http://127.0.0.1:9/simple"  # nobody listens there

    offline = checkout.run()

    assert offline.returncode == 1
    assert "the package index cannot be reached: connect to the network" in one_line(offline.stderr)
    checkout.environment = online
    assert checkout.run().returncode == 0


def test_a_changed_wheel_is_refused_in_one_line(checkout: SmallCheckout) -> None:
    wheel = checkout.links / "tinylib-1.0-py3-none-any.whl"
    wheel.write_bytes(wheel.read_bytes() + b"\0")
    refused = checkout.run()
    assert refused.returncode == 1
    assert "another hash than the locked one" in one_line(refused.stderr)


def test_without_the_model_only_what_needs_none_starts(
    ready: SmallCheckout, tmp_path: Path
) -> None:
    ready.environment |= {"CAPTIONGLASS_MODELS": str(tmp_path / "none"), "PIP_FIND_LINKS": ""}

    refused = ready.run("caption", "--realtime")
    assert (refused.returncode, refused.stdout) == (1, "")
    assert "could not fetch tiny-one==1.0" in refused.stderr
    assert "Traceback" not in refused.stderr

    allowed = ready.run("doctor")
    assert allowed.returncode == 0
    assert json.loads(allowed.stdout)["arguments"] == ["doctor"]


def test_a_removed_model_is_fetched_again(ready: SmallCheckout, tmp_path: Path) -> None:
    ready.environment["CAPTIONGLASS_MODELS"] = str(tmp_path / "store")
    assert "tiny.en: installed" in ready.run().stderr
    (tmp_path / "store" / "tiny.en" / "weights.bin").unlink()
    assert "tiny.en: installed" in ready.run().stderr
    assert ready.run().stderr == _SAID_NOTHING


@pytest.mark.skipif(sys.platform == "win32", reason="permissions work differently there")
def test_a_read_only_checkout_is_one_line(checkout: SmallCheckout) -> None:
    system_python = Path("/usr/bin/python3")
    if os.geteuid() == 0 and not system_python.exists():
        pytest.skip("root may write anywhere, and another user has no Python here")
    # Root may write anywhere: become nobody, in a folder that everybody can look into.
    nobody = 65534 if os.geteuid() == 0 else None
    python = str(system_python) if nobody else sys.executable
    for folder in (checkout.root, *checkout.root.parents):
        folder.chmod(0o755)
        if folder.name.startswith("pytest-of-"):
            break
    checkout.root.chmod(0o555)
    try:
        refused = subprocess.run(
            [python, str(checkout.root / "scripts" / "run.py")],
            env=checkout.environment, capture_output=True, encoding="utf-8", user=nobody,
            cwd="/", stdin=subprocess.DEVNULL,
        )  # fmt: skip
    finally:
        checkout.root.chmod(0o755)
    assert refused.returncode == 1
    assert "copy Captionglass to a folder that you may write to" in one_line(refused.stderr)


@pytest.mark.skipif(sys.platform == "win32", reason="the console sends Ctrl-C itself there")
def test_ctrl_c_reaches_the_program(ready: SmallCheckout) -> None:
    # A shell that started these tests in the background has told them to ignore it.
    heed = functools.partial(signal.signal, signal.SIGINT, signal.default_int_handler)
    with ready.start("wait", preexec_fn=heed) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "waiting\n"
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=60)
        finally:
            process.kill()
    assert (process.returncode, out, err) == (7, "", "")


def test_an_old_python_is_told_so_in_one_line() -> None:
    pretend = (
        "import runpy, sys; sys.version_info = (3, 8, 10, 'final', 0);"
        "runpy.run_path(sys.argv[1], run_name='__main__')"
    )
    script = REPOSITORY / "scripts" / "run.py"
    told = subprocess.run(
        [sys.executable, "-c", pretend, str(script)], capture_output=True, encoding="utf-8"
    )
    assert told.returncode == 1
    assert "Python 3.8 is too old: install Python 3.11 or newer" in one_line(told.stderr)
