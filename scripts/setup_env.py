"""Set-up shared by run.py, test.py and check: .venv, locked requirements, models.

Standard library only. The fast path, when all is ready, imports and starts next to nothing.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import setup_system

ROOT = Path(__file__).resolve().parent.parent
REQUIREMENTS = ROOT / "requirements"
VENV = ROOT / ".venv"
PYTHON = VENV / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
STAMP = VENV / "captionglass.json"
"""Written last, so that its presence means a whole environment:
``{"python": identity, "locks": {name: sha256}, "system": {...}, "models": {...}}``."""
UNFINISHED = VENV / "captionglass.unfinished"
"""There from before the first change to after the last: what holds it is remade."""
LOCK = VENV / "captionglass.lock"
LOG = VENV / "captionglass-setup.log"
RUNTIME_VARIABLE = "CAPTIONGLASS_RUNTIME"
"""``cpu`` or ``gpu``: which onnxruntime to install, whatever is found."""


class SetupError(Exception):
    """Why it cannot be set up, in one line; empty where the line is on the screen already."""


def say(text: str) -> None:
    """One line to the person at the terminal."""
    sys.stderr.write(f"captionglass: {text}\n")
    sys.stderr.flush()


def fail(error: SetupError) -> int:
    """Say why it cannot be set up; the exit code."""
    if str(error):
        say(str(error))
    return 1


def prepare(*, tests: bool = False) -> Path:
    """Make sure that .venv and the system packages are there.

    Args:
        tests: the development requirements and the tests' system packages too.

    Returns:
        The environment's Python.

    Raises:
        SetupError: it cannot be done; says why and what to do.
    """
    stamp = _read_stamp()
    locks = _locks(tests, stamp)
    needs = setup_system.RUN + (setup_system.TEST if tests else ())
    if not environment_ready(stamp, locks):
        with _exclusive():
            _make(tests, needs)
    elif not _system_ready(stamp, needs) and _install_system(needs):
        _note("system", [*stamp.get("system", ()), setup_system.fingerprint(needs)])
    return PYTHON


def prepare_models(*more: str) -> None:
    """Make sure that the default recogniser and the VAD are there; .venv has to be.

    Args:
        more: ids of models that are wanted beside them.

    Raises:
        SetupError: they could not be fetched; the reason is on the screen already.
    """
    if not _models_ready(_read_stamp(), more):
        _fetch_models(more)


def environment() -> dict[str, str]:
    """What the environment's Python is started with, so that it finds the checkout's packages.

    Start it with ``-P`` as well: a folder called ``models`` where the user stands is not ours.
    """
    variables = dict(os.environ)
    variables.pop("PYTHONHOME", None)
    variables["PYTHONPATH"] = os.pathsep.join(
        part for part in (str(ROOT), os.environ.get("PYTHONPATH")) if part
    )
    return variables


def _read_stamp() -> dict[str, Any]:
    try:
        stamp = json.loads(STAMP.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return stamp if isinstance(stamp, dict) else {}


def _write_stamp(stamp: dict[str, Any]) -> None:
    scratch = STAMP.with_suffix(".new")
    scratch.write_text(json.dumps(stamp, indent=1), encoding="utf-8")
    scratch.replace(STAMP)


def _locks(tests: bool, stamp: dict[str, Any]) -> dict[str, str]:
    """The lock files wanted and their sha256."""
    import hashlib

    names = ["gpu.txt" if _wants_gpu(stamp) else "cpu.txt", *(["dev.txt"] if tests else [])]
    try:
        return {
            name: hashlib.sha256((REQUIREMENTS / name).read_bytes()).hexdigest() for name in names
        }
    except OSError as error:
        raise SetupError(
            f"{error.filename} cannot be read ({error.strerror}): the checkout is not whole"
        ) from error


def _wants_gpu(stamp: dict[str, Any]) -> bool:
    asked = os.environ.get(RUNTIME_VARIABLE, "").strip().lower()
    if asked not in ("", "cpu", "gpu"):
        raise SetupError(f"{RUNTIME_VARIABLE} is {asked!r}: use cpu or gpu")
    if asked:
        return asked == "gpu"
    # What is built for a GPU runs on the processor too: no need to remake it when a driver goes.
    return "gpu.txt" in stamp.get("locks", {}) or nvidia_driver()


def nvidia_driver() -> bool:
    """Whether an NVIDIA driver is installed on a system that onnxruntime-gpu is built for."""
    import platform
    import shutil

    if sys.platform == "darwin" or platform.machine().lower() not in ("x86_64", "amd64"):
        return False
    if shutil.which("nvidia-smi"):
        return True
    import ctypes

    try:
        ctypes.CDLL("nvml.dll" if sys.platform == "win32" else "libnvidia-ml.so.1")
    except OSError:
        return False
    return True


def _interpreter() -> str:
    """Which base interpreter .venv leans on; empty where there is none (any more)."""
    if not PYTHON.exists():
        return ""
    if sys.platform == "win32":  # a copy there: only its configuration tells
        configuration = (VENV / "pyvenv.cfg").read_text(encoding="utf-8")
        return next(line for line in configuration.splitlines() if line.startswith("home"))
    return str(PYTHON.resolve())


def environment_ready(stamp: dict[str, Any], locks: dict[str, str]) -> bool:
    """Whether .venv is whole and holds these locks."""
    return (
        bool(stamp)
        and locks.items() <= stamp.get("locks", {}).items()
        and stamp.get("python") == _interpreter()
        and not UNFINISHED.exists()
    )


def _system_ready(stamp: dict[str, Any], needs: tuple[setup_system.Need, ...]) -> bool:
    return setup_system.fingerprint(needs) in stamp.get("system", ())


@contextlib.contextmanager
def _exclusive() -> Iterator[None]:
    """One set-up at a time in this checkout; a second one waits.

    Raises:
        SetupError: the checkout cannot be written to.
    """
    try:
        VENV.mkdir(exist_ok=True)
        descriptor = os.open(LOCK, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        raise SetupError(
            f"{VENV} cannot be written ({error.strerror}): copy Captionglass to a folder that you"
            " may write to and start it there"
        ) from error
    try:
        # Inherited by pip: if we are killed, the lock is held until it has ended as well.
        os.set_inheritable(descriptor, True)
        told = False
        while not _try_lock(descriptor):
            if not told:
                say("waiting for another set-up in this folder to finish")
                told = True
            time.sleep(0.2)
        yield
    finally:
        os.close(descriptor)


def _try_lock(descriptor: int) -> bool:
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _make(tests: bool, needs: tuple[setup_system.Need, ...]) -> None:
    """Everything but the models, under the lock."""
    stamp = _read_stamp()  # another process may just have finished
    locks = _locks(tests, stamp)
    if environment_ready(stamp, locks):
        return
    if not _system_ready(stamp, needs) and _install_system(needs):
        stamp["system"] = [*stamp.get("system", ()), setup_system.fingerprint(needs)]
    import setup_venv

    stamp["locks"] = setup_venv.build(stamp, locks)
    stamp["python"] = _interpreter()
    _write_stamp(stamp)
    UNFINISHED.unlink(missing_ok=True)


def _note(key: str, value: object) -> None:
    """Remember something that saves the next start a look; a read-only checkout does without."""
    with contextlib.suppress(OSError):
        _write_stamp({**_read_stamp(), key: value})


def _install_system(needs: tuple[setup_system.Need, ...]) -> bool:
    """Whether every system package is there afterwards; says the one line to run where not."""
    if not setup_system.has_apt():
        return True
    wanted = needs + setup_system.python_needs()
    absent = setup_system.missing(wanted)
    if not absent:
        return True
    say(f"installing system packages: {' '.join(absent)}")
    result = setup_system.install(absent)
    if result.missing:
        say(f"system packages are missing ({result.reason}); run: {result.command}")
    return not result.missing


def _models_key(more: tuple[str, ...]) -> str:
    """Changes when the catalogue does, the folder the models lie in, or what is wanted of them."""
    import hashlib

    digest = hashlib.sha256((ROOT / "models" / "catalogue.toml").read_bytes())
    digest.update("".join(f"{model_id}\n" for model_id in more).encode())
    for variable in ("CAPTIONGLASS_MODELS", "XDG_DATA_HOME", "HOME", "LOCALAPPDATA"):
        digest.update(f"{variable}={os.environ.get(variable)}\n".encode(errors="surrogateescape"))
    return digest.hexdigest()[:16]


def _models_ready(stamp: dict[str, Any], more: tuple[str, ...]) -> bool:
    files = stamp.get("models", {}).get(_models_key(more))
    if not files:
        return False
    try:
        return all(Path(path).stat().st_size == size for path, size in files.items())
    except OSError:
        return False


_LIST_MODELS = """
import json, sys
from models import catalogue, store
known, here = catalogue.load(), store.ModelStore()
specs = [known.get(each) for each in (known.default, known.vad, *sys.argv[1:])]
files = [(here.files(spec), file) for spec in specs for file in spec.files]
print(json.dumps({str(model.path(file.name)): file.size for model, file in files}))
"""


def _fetch_models(more: tuple[str, ...]) -> None:
    """Fetch what is missing, and note where it lies so that the next start need not ask."""
    import subprocess

    python = [str(PYTHON), "-P"]
    for ids in ((), more) if more else ((),):
        fetched = subprocess.run(
            [*python, "-m", "models.download", *ids], env=environment(), stdin=subprocess.DEVNULL
        )
        if fetched.returncode:
            raise SetupError("")
    listed = subprocess.run(
        [*python, "-X", "utf8", "-c", _LIST_MODELS, *more],
        env=environment(), stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8",
    )  # fmt: skip
    if listed.returncode == 0:
        _note("models", {_models_key(more): json.loads(listed.stdout)})
