"""``captionglass --self-test``: whether this copy of the program is whole and works.

Meant for the packaged application, where a module that nobody imports by name is easily left
behind. It opens no microphone, reads no settings and asks no keyring of the user's.
"""

from __future__ import annotations

import dis
import importlib
import importlib.util
import inspect
import pkgutil
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, ModuleType
from typing import TYPE_CHECKING

from assets import ASSETS
from desktop_app.commands.self_test_window import some_screen, window
from desktop_app.console import EXIT_DONE, EXIT_FAILED, flush_streams, one_line, say
from desktop_app.health.check import Check, run_checks
from models import own_program

if TYPE_CHECKING:
    from desktop_app.serve.engine_controller import EngineController

LICENCES = ASSETS.parent / "licences"
"""Where the packaged application holds its own licence and those of what it is made of."""

_PARTS = {"sources": "engine.sources", "sinks": "engine.sinks"}
_ROOMS = ("assets", "desktop_app", "engine", "models")
_NOT_EVERYWHERE = {
    "AVFoundation", "Xlib", "pulsectl", "pyaudiowpatch", "pynput",  # other systems
    "av", "redis",  # as the package was made
    "faster_whisper", "moonshine_voice",  # only ever compared with
}  # fmt: skip
_WORDS_WRONG_AT_MOST = 0.08
_CAPTIONS_LIMIT_S = 180.0
_HELPER_LIMIT_S = 60.0


def run_self_test() -> int:
    """Try every part, and say how each went on a line of its own.

    Returns:
        0 where all is well, else 1.
    """
    with tempfile.TemporaryDirectory(prefix="captionglass-test-") as folder:
        scratch = Path(folder)
        checks = run_checks(
            (
                ("sources", lambda: _classes("sources", "Source"), True),
                ("families", _families, True),
                ("sinks", lambda: _classes("sinks", "Sink"), True),
                ("modules", _modules, True),
                ("libraries", _libraries, True),
                ("models", _models, True),
                ("licences", _licences, True),
                ("sound library", _sound_library, True),
                ("captions", _captions, True),
                ("settings", lambda: _settings(scratch), True),
                ("secrets", lambda: _secrets(scratch), True),
                ("web page", _web_page, True),
                ("helpers", _helpers, True),
                # The last, since Qt ends the process where its libraries do not fit together.
                ("window", window, True),
            )
        )
        for check in checks:
            say(f"{'ok' if check.ok else 'problem':<7}  {check.name:<13}  {one_line(check.detail)}")
    whole = all(check.ok for check in checks)
    say("this copy of Captionglass works" if whole else "this copy of Captionglass is broken")
    flush_streams()
    return EXIT_DONE if whole else EXIT_FAILED


def _classes(part: str, ending: str) -> Check:
    """The files of a package that hold a public class with that ending; each is loaded."""
    package = importlib.import_module(_PARTS[part])
    found = [
        name
        for name in sorted(each.name for each in pkgutil.iter_modules(package.__path__))
        if _has_class(importlib.import_module(f"{_PARTS[part]}.{name}"), ending)
    ]
    return Check(part, bool(found), ", ".join(found) or "none is found")


def _has_class(module: ModuleType, ending: str) -> bool:
    return any(
        inspect.isclass(value)
        and value.__module__ == module.__name__
        and label.endswith(ending)
        and label != ending
        and not label.startswith("_")
        for label, value in vars(module).items()
    )


def _families() -> Check:
    from engine.recognizers.base import families

    found = sorted(families())
    return Check("families", bool(found), ", ".join(found) or "none is found")


def _own_modules() -> Iterator[str]:
    for room in _ROOMS:
        package = importlib.import_module(room)
        yield room
        for found in pkgutil.walk_packages(package.__path__, f"{room}."):
            yield found.name


def _modules() -> Check:
    """Every module of the program loads."""
    broken, count = [], 0
    for name in _own_modules():
        count += 1
        try:
            importlib.import_module(name)
        except Exception as error:  # noqa: BLE001 - whatever keeps it from loading is the answer
            broken.append(f"{name} ({error})")
    if broken:
        return Check("modules", False, f"{', '.join(broken)} would not load")
    return Check("modules", True, f"{count} load")


def _libraries() -> Check:
    """Every library that a module of the program imports, now or later, is there."""
    asked: set[str] = set()
    for name in _own_modules():
        spec = importlib.util.find_spec(name)
        get_code = getattr(spec.loader, "get_code", None) if spec else None
        code = get_code(name) if get_code is not None else None
        if code is not None:
            asked.update(_imported(code))
    asked -= {"", *sys.stdlib_module_names, *_ROOMS, "__future__"}
    lacking = {name for name in asked if importlib.util.find_spec(name) is None}
    if missing := lacking - _NOT_EVERYWHERE:
        return Check("libraries", False, f"{', '.join(sorted(missing))} are missing")
    without = f", without {', '.join(sorted(lacking))}" if lacking else ""
    return Check("libraries", len(asked) > len(_NOT_EVERYWHERE), f"{len(asked)}{without}")


def _imported(code: CodeType) -> Iterator[str]:
    """The top names of what a piece of code imports, also inside its functions."""
    for instruction in dis.get_instructions(code):
        if instruction.opname == "IMPORT_NAME":
            yield str(instruction.argval).partition(".")[0]
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _imported(constant)


def _models() -> Check:
    """What the first start needs is here, byte for byte."""
    from models import catalogue
    from models.store import SHIPPED, ModelStore

    known, store = catalogue.load(), ModelStore()
    files = [store.verify(known.get(name)) for name in (known.default, known.vad)]
    names = ", ".join(each.spec.id for each in files)
    shipped = all(each.folder.is_relative_to(SHIPPED) for each in files)
    return Check("models", True, f"{names}, {'shipped' if shipped else f'in {store.root}'}")


def _licences() -> Check:
    if not own_program.packaged():
        return Check("licences", True, "those of the checkout")
    own = [name for name in ("LICENSE", "THIRD-PARTY-NOTICES.md") if (LICENCES / name).is_file()]
    others = sum(folder.is_dir() for folder in LICENCES.iterdir())
    return Check("licences", len(own) == 2 and others > 0, f"its own and those of {others} parts")


def _sound_library() -> Check:
    import sounddevice
    import soundfile

    portaudio = sounddevice.get_portaudio_version()[1].partition(",")[0]
    detail = f"{portaudio}, libsndfile {soundfile.__libsndfile_version__}"
    place = Path(sounddevice._libname)
    if own_program.packaged() and not place.is_relative_to(ASSETS.parent):
        # It would be missing on the next computer.
        return Check("sound library", False, f"{detail}, from the system and not what was brought")
    return Check("sound library", True, detail)


def _captions() -> Check:
    """The demo recording, as fast as it goes, against what is said in it; by a recogniser in a
    process of its own, as where somebody listens live."""
    from desktop_app import __version__
    from desktop_app.demo import DEMO
    from engine.bench.metrics import normalised, score
    from engine.config import EngineConfig, LatencyProfile
    from engine.session import Session
    from engine.sinks.memory import MemorySink
    from engine.sources.file import FileSource
    from models import catalogue
    from models.store import ModelStore

    known, store, sink = catalogue.load(), ModelStore(), MemorySink()
    config = EngineConfig(
        model=store.files(known.get(known.default)),
        vad=store.files(known.get(known.vad)),
        profile=LatencyProfile.parse("balanced"),
        version=__version__,
        isolated=True,
    )
    began = time.monotonic()
    session = Session(config, [FileSource(DEMO)], [sink])
    session.start()
    over = session.wait(_CAPTIONS_LIMIT_S)
    session.stop()
    if session.error is not None:
        return Check("captions", False, str(session.error))
    if not over:
        return Check("captions", False, f"not done after {_CAPTIONS_LIMIT_S:g} s")
    spoken = normalised((ASSETS / "demo.txt").read_text(encoding="utf-8"))
    wrong = score(spoken, normalised(sink.text)).errors
    provider = sink.header.provider if sink.header else "nothing"
    detail = f"{wrong} of {len(spoken)} words of the demo recording wrong, on {provider}"
    right = wrong <= _WORDS_WRONG_AT_MOST * len(spoken)
    return Check("captions", right, f"{detail}, {time.monotonic() - began:.1f} s")


def _settings(scratch: Path) -> Check:
    from desktop_app.settings.store import SettingsStore

    path = scratch / "settings.toml"
    store = SettingsStore(path)
    changed = store.load().model_copy(update={"font_size": 41})
    store.save(changed)
    kept = SettingsStore(path).load() == changed
    return Check("settings", kept, "kept and read again" if kept else "not read as they were kept")


def _secrets(scratch: Path) -> Check:
    """Where there is no keyring: in a file where the user chose so, else in memory."""
    import keyring
    from keyring.backends import fail

    from desktop_app.secrets import Secrets

    before = keyring.get_keyring()
    keyring.set_keyring(fail.Keyring())  # type: ignore[no-untyped-call]
    try:
        places = []
        for file in (None, scratch / "secrets.json"):
            secrets = Secrets(file, environ={})
            place = secrets.set("self-test", "kept")
            places.append(place if secrets.find("self-test") == ("kept", place) else "nowhere")
    finally:
        keyring.set_keyring(before)
    kind = type(before)
    detail = (
        f"without a keyring in {' or '.join(places)}; here {kind.__module__}.{kind.__qualname__}"
    )
    return Check("secrets", places == ["memory", "file"], detail)


def _web_page() -> Check:
    """The page and all its files come over the loopback address."""
    from desktop_app.serve.page import PAGE_FILES
    from desktop_app.serve.server import WebServer

    server = WebServer(_nobody(), "self-test", 0)
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    server.start()
    try:
        for path, file in PAGE_FILES.items():
            with direct.open(server.address + path, timeout=10.0) as answer:
                if answer.read() != file.content:
                    return Check("web page", False, f"{path} came changed")
    finally:
        server.stop()
    return Check("web page", True, f"{len(PAGE_FILES)} files served")


def _nobody() -> EngineController:
    """Owns a session that is never begun: the page's own files are asked for, nothing else."""
    from desktop_app.serve.controller import Appearance, Shelf
    from desktop_app.serve.engine_controller import EngineController
    from engine.config import EngineConfig, LatencyProfile
    from engine.session import Session
    from models import catalogue
    from models.store import ModelStore

    known, store = catalogue.load(), ModelStore()
    config = EngineConfig(
        store.files(known.get(known.default)),
        store.files(known.get(known.vad)),
        LatencyProfile.parse("balanced"),
    )
    return EngineController(
        config, "mic", lambda _: [], Session, Shelf(catalogue.load, store), Appearance
    )


def _helpers() -> Check:
    """A process of its own can be started, and Qt opens the screen in it."""
    with some_screen():
        done = subprocess.run(
            own_program.command("desktop_app.health.qt_probe"),
            env=own_program.environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=_HELPER_LIMIT_S,
            check=False,
        )
    said = (done.stdout if done.returncode == 0 else done.stderr).strip()
    return Check("helpers", done.returncode == 0, said or f"exit code {done.returncode}")
