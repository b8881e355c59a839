"""``captionglass doctor``: what works on this machine, what does not, and what to do about it."""

from __future__ import annotations

import dataclasses
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from desktop_app import __version__
from desktop_app.console import EXIT_DONE, EXIT_FAILED, one_line, say
from desktop_app.health.check import Check, run_checks
from models import own_program

_QT_LIMIT_S = 30.0
_NEEDED_BYTES = 500_000_000

_QT_PACKAGES = (
    "libegl1 libgl1 libfontconfig1 libdbus-1-3 libxkbcommon-x11-0 libxcb-cursor0 libxcb-icccm4 "
    "libxcb-keysyms1 libxcb-shape0 libxcb-xkb1 libxcb-render-util0 libxcb-image0"
)


def print_report(*, as_json: bool = False) -> int:
    """Run every check and print the answers.

    Returns:
        0 where captions can run, else 1.
    """
    checks = examine()
    able = all(check.ok for check in checks if check.needed)
    if as_json:
        rows = [dataclasses.asdict(check) for check in checks]
        say(json.dumps({"ok": able, "checks": rows}, ensure_ascii=False, indent=2))
    else:
        width = max(len(check.name) for check in checks)
        for check in checks:
            state = "ok" if check.ok else "problem"
            remedy = f": {check.remedy}" if check.remedy and not check.ok else ""
            say(f"{state:<7}  {check.name:<{width}}  {one_line(check.detail + remedy)}")
        say("captions can run here" if able else "captions cannot run here yet")
    return EXIT_DONE if able else EXIT_FAILED


def write_report(path: Path) -> int:
    """Run every check, and write the answers for a bug report, with nothing private in it.

    Returns:
        0 where captions can run, else 1.

    Raises:
        CaptionglassError: the file cannot be written.
    """
    from desktop_app.health.report import write_doctor_report

    checks = examine()
    write_doctor_report(path, checks)
    say(f"the report is in {path}")
    return EXIT_DONE if all(check.ok for check in checks if check.needed) else EXIT_FAILED


def examine() -> list[Check]:
    """The answers of every check; one that fails itself is a problem, not the end."""
    return run_checks(
        (
            ("program", program, False),
            ("screen", screen, False),
            ("compositor", compositor, False),
            ("sound inputs", sound_inputs, False),
            ("models", models, True),
            ("data folder", data_folder, False),
            ("provider", provider, True),
            ("GPU", gpu, False),
            ("keyring", keyring, False),
        )
    )


def program() -> Check:
    """Versions, for whoever reads the report elsewhere."""
    return Check(
        "program",
        True,
        f"captionglass {__version__}, Python {platform.python_version()}, {platform.platform()}",
    )


def screen() -> Check:
    """Whether Qt can open a window, asked of a process of its own: without a screen Qt aborts."""
    name = "screen"
    no_server = not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
    if sys.platform == "linux" and no_server and not os.environ.get("QT_QPA_PLATFORM"):
        return Check(
            name,
            False,
            "none, neither DISPLAY nor WAYLAND_DISPLAY is set",
            "start it in a desktop session; without one the captions go to the terminal",
        )
    try:
        probe = subprocess.run(
            own_program.command("desktop_app.health.qt_probe"),
            env=own_program.environment(),
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_QT_LIMIT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Check(name, False, f"Qt did not answer in {_QT_LIMIT_S:g} s", "log in again")
    if probe.returncode == 0:
        return Check(name, True, f"Qt on {probe.stdout.strip()}")
    said = [line for line in probe.stderr.splitlines() if line.strip()]
    return Check(name, False, f"Qt cannot start ({said[0] if said else 'no reason given'})", _qt())


def _qt() -> str:
    where = " and ".join(
        f"{variable}={os.environ[variable]}"
        for variable in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
        if os.environ.get(variable)
    )
    remedy = f"see that {where or 'the screen'} is right"
    if shutil.which("apt-get"):
        remedy += f", and run: sudo apt-get install {_QT_PACKAGES}"
    return remedy


def compositor() -> Check:
    """Whether something blends translucent windows."""
    name = "compositor"
    if sys.platform != "linux":
        return Check(name, True, "part of the system")
    if os.environ.get("DISPLAY"):
        # An X11 window is used under Wayland too, where it can be placed and kept on top.
        return _x11_compositor(name)
    if os.environ.get("WAYLAND_DISPLAY"):
        return Check(name, True, "Wayland, which places windows and keeps them on top as it likes")
    return Check(name, False, "no screen", "start it in a desktop session")


def _x11_compositor(name: str) -> Check:
    from Xlib import X, display, error

    try:
        server = display.Display()
    except (error.DisplayError, OSError) as failure:
        return Check(name, False, f"the screen does not answer ({failure})", "check DISPLAY")
    try:
        selection = server.intern_atom(f"_NET_WM_CM_S{server.get_default_screen()}")
        running = server.get_selection_owner(selection) != X.NONE
    finally:
        server.close()
    if running:
        return Check(name, True, "running, the overlay is translucent")
    return Check(
        name,
        False,
        "none, the overlay has a solid background",
        "switch on compositing in the desktop's settings, or start picom",
    )


def sound_inputs() -> Check:
    """The devices captions could listen to."""
    import sounddevice

    from engine.sources.platforms import open_inventory

    name = "sound inputs"
    library = sounddevice.get_portaudio_version()[1].partition(",")[0]
    found = open_inventory().devices()
    if found:
        names = ", ".join(
            ("what plays on " if each.kind == "output" else "")
            + f"{each.name}{' (default)' if each.is_default else ''}"
            for each in found
        )
        return Check(name, True, f"{names}; {library}")
    return Check(name, False, f"none; {library}", "plug in a microphone, or start the sound server")


def models() -> Check:
    """Whether the default model and the voice detector are here and whole, byte for byte."""
    from models import catalogue as descriptions
    from models.errors import ModelError, ModelMissingError
    from models.store import ModelStore

    name = "models"
    catalogue = descriptions.load()
    store = ModelStore()
    whole: list[str] = []
    places: dict[str, None] = {}
    for spec in catalogue:
        needed = spec.id in (catalogue.default, catalogue.vad)
        try:
            places[str(store.verify(spec).folder.parent)] = None
        except ModelMissingError as error:
            if needed:
                return Check(name, False, error.message, error.remedy, needed)
        except ModelError as error:
            return Check(name, False, error.message, error.remedy, needed)
        else:
            whole.append(spec.id)
    where = " and ".join(places)
    return Check(name, True, f"{', '.join(whole)} in {where}, every byte right", needed=True)


def data_folder() -> Check:
    """Whether models could be stored: the folder can be written, and there is room."""
    from models.store import ModelStore

    name = "data folder"
    root = ModelStore().root
    there = next(folder for folder in (root, *root.parents) if folder.exists())
    if not there.is_dir():
        return Check(name, False, f"{there} is no folder", "rename or remove it")
    try:
        with tempfile.TemporaryFile(dir=there):
            pass
    except OSError as error:
        return Check(
            name,
            False,
            f"{there} cannot be written ({error.strerror or error})",
            "change its permissions, or name another folder in CAPTIONGLASS_MODELS",
        )
    free = shutil.disk_usage(there).free
    detail = f"{root}, {free / 1e9:.1f} GB free"
    return Check(name, free >= _NEEDED_BYTES, detail, "free some space for models")


def provider() -> Check:
    """What a model really runs on when a GPU is asked for, tried with the smallest one."""
    import onnxruntime

    from engine import gpu as driver
    from engine import runtime
    from engine.errors import ModelError
    from models import catalogue as descriptions
    from models.store import ModelStore

    name = "provider"
    version = f"onnxruntime {onnxruntime.__version__}"
    catalogue = descriptions.load()
    spec = catalogue.get(catalogue.vad)
    try:
        files = ModelStore().files(spec)
    except ModelError as error:
        return Check(name, False, f"{version}; {error.message}", error.remedy, needed=True)
    weights = next(file.name for file in spec.files if Path(file.name).suffix in (".onnx", ".ort"))
    asked = runtime.candidate("auto")
    asked = "cuda" if asked == "cpu" else asked
    session = runtime.open_session(files.path(weights), asked)
    running = runtime.provider_name(session)
    if running == asked:
        return Check(name, True, f"{asked} asked for, {asked} runs; {version}", needed=True)
    reason = runtime.why_not(asked)
    detail = f"{asked} asked for, {running} runs ({{}}); {version}"
    if asked == "cuda" and driver.read() is None:
        return Check(name, True, detail.format(driver.why_none()), needed=True)
    # Captions run all the same, but not where the owner of such a card would want them to.
    what, colon, remedy = reason.partition(": ")
    if not colon:
        what, remedy = reason, "update the driver of the GPU"
    return Check(name, False, detail.format(what), remedy)


def gpu() -> Check:
    """What the driver says of the GPU. None at all is no fault."""
    from engine import gpu as driver

    reading = driver.read()
    if reading is None:
        why = driver.why_none()
        lost = not why.startswith(driver.NO_GPU)
        return Check("GPU", not lost, why, "update the NVIDIA driver or restart" if lost else "")
    used, total = reading.memory_used / 2**30, reading.memory_total / 2**30
    return Check("GPU", True, f"{reading.name}, {used:.1f} of {total:.1f} GiB of memory in use")


def keyring() -> Check:
    """Whether secrets can be kept. Asks for none, so that nobody is prompted."""
    import keyring as library
    from keyring.backends import fail

    backend = library.get_keyring()
    kind = type(backend)
    where = f"{kind.__module__}.{kind.__qualname__}"
    if isinstance(backend, fail.Keyring):
        return Check(
            "keyring",
            False,
            "none, no secret service answers",
            "start a desktop session with a keyring (GNOME Keyring, KWallet); "
            "captions work without one",
        )
    return Check("keyring", True, where)
