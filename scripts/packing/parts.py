"""What goes into the packaged application, and what stays out: read by ``pyinstaller.spec``.

Needs PyInstaller's hooks and the program's own libraries: it runs in the environment that
``scripts/package.py`` makes.
"""

from __future__ import annotations

import importlib.metadata
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

ROOMS = ("assets", "desktop_app", "engine", "models")

# Asked for by name while the program runs, so that nobody sees it who only reads the code.
_ASKED_LATE = ("keyring.backends", "redis", "websockets")
_ASKED_LATE_ON_LINUX = ("Xlib",)
_PIP = "pip"
"""Fetches models out of wheels where there is no Python."""

EXCLUDED = [
    "IPython", "PIL", "matplotlib", "pandas", "scipy", "sympy", "torch", "tkinter", "pytest",
    "hf_xet", "hypothesis", "mypy", "numpy.f2py", "onnx.backend", "onnx.reference", "setuptools",
    "sqlite3", "av", "readline",
    "pyqtgraph.examples", "pyqtgraph.jupyter", "pyqtgraph.opengl",
    "PySide6.QtPrintSupport", "PySide6.QtQml", "PySide6.QtQuick", "PySide6.QtSql",
    "PySide6.QtUiTools", "PySide6.QtXml",
]  # fmt: skip
"""Libraries of libraries that the program never comes to, or does without."""

# Those of the machine it runs on have to be taken: they belong to its sound server, its drivers,
# its fonts or its C library, and a second, older copy beside them breaks what is loaded later.
_OF_THE_MACHINE = (
    "asound", "pulse", "pulsecommon", "pulse-simple", "sndio",
    "X11", "X11-xcb", "Xau", "Xdmcp", "xcb", "drm", "GL", "EGL", "gbm",
    "fontconfig", "freetype", "expat", "z", "brotlidec", "brotlicommon",
    "dbus-1", "systemd", "gcrypt", "gpg-error", "cap", "lz4", "zstd",
    "glib-2", "gio-2", "gobject-2", "gmodule-2", "gthread-2", "pcre2-8", "mount", "blkid",
    "selinux", "bsd", "md", "stdc++", "gcc_s", "mvec",
)  # fmt: skip
# What Qt's GTK theme brings along, which is left out.
_OF_GTK = (
    "gtk-3", "gdk-3", "gdk_pixbuf-2", "pango-1", "pangocairo-1", "pangoft2-1", "cairo",
    "cairo-gobject", "atk-1", "atk-bridge-2", "atspi", "epoxy", "harfbuzz", "graphite2", "fribidi",
    "thai", "datrie", "pixman-1", "png16", "Xcomposite", "Xcursor", "Xdamage", "Xext", "Xfixes",
    "Xi", "Xinerama", "Xrandr", "Xrender",
)  # fmt: skip

_LEFT_OUT = [
    re.compile(pattern)
    for pattern in (
        rf"lib({'|'.join(map(re.escape, (*_OF_THE_MACHINE, *_OF_GTK)))})(\.\d+)*\.so[.\d]*",
        # The GPL's, which no part of the program needs.
        r"lib(readline|history|tinfo|ncursesw?)\.so[.\d]*",
        # Qt: what draws without a window system, formats nobody opens, languages it is not in.
        r"PySide6/Qt/plugins/platforms/.*(eglfs|linuxfb|vnc|vkkhrdisplay|minimal).*",
        r"PySide6/Qt/plugins/platformthemes/.*gtk3.*",
        r"PySide6/Qt/plugins/platforminputcontexts/.*virtualkeyboard.*",
        r"PySide6/Qt/plugins/(egldeviceintegrations|generic|networkinformation|printsupport"
        r"|qmltooling|sqldrivers|tls)/.*",
        r"PySide6/Qt/plugins/imageformats/.*(pdf|tiff|webp|tga|wbmp).*",
        r"(PySide6/Qt/lib/)?libQt6?(Egl[Ff][Ss]|Pdf|Qml|Quick|VirtualKeyboard)[^/]*",
        r"(PySide6/.*/)?translations/(?!qtbase_(zh_CN|en)\.qm)[^/]*\.qm",
        # What libraries are built and tested with.
        r"(numpy|onnx|onnxruntime|pyqtgraph)/(.*/)?(tests?|testing|examples)/.*",
        r"onnx/backend/.*",
        r".*\.(a|lib|h|hpp|cmake|proto|pyi)",
        r"pip/.*\.exe",
    )
]

_NAMES_OF_LICENCES = re.compile(r"(LICEN[CS]E|COPYING|NOTICE|AUTHORS|ThirdParty)", re.IGNORECASE)


def hidden_imports() -> list[str]:
    """Modules that are found by looking into a package, and by name alone."""
    from PyInstaller.utils.hooks import collect_submodules

    names: list[str] = []
    late = (*_ASKED_LATE, *(_ASKED_LATE_ON_LINUX if sys.platform == "linux" else ()), _PIP)
    for package in (*ROOMS, *late):
        names += collect_submodules(package)
    return names


def data_files() -> list[tuple[str, str]]:
    """Pairs of a file and the folder of the application that it goes to."""
    from PyInstaller.utils.hooks import collect_data_files, copy_metadata

    found: list[tuple[str, str]] = []
    found += [
        (str(path), str(path.parent.relative_to(ROOT)))
        for path in sorted((ROOT / "assets").rglob("*"))
        if path.is_file() and path.suffix not in (".py", ".pyc", ".ts")
    ]
    found.append((str(ROOT / "models" / "catalogue.toml"), "models"))
    # Run by another Python, as a file.
    found.append((str(ROOT / "engine" / "bench" / "peer_runner.py"), "engine/bench"))
    for package in ("certifi", "onnx_asr", "opencc", _PIP):
        found += collect_data_files(package, excludes=["**/*.exe"])
    for name in distributions():
        found += copy_metadata(name)
    return found + gpu_libraries() + shipped_models() + licences()


def gpu_libraries() -> list[tuple[str, str]]:
    """CUDA and cuDNN, in the folders in which onnxruntime looks for them."""
    if not gpu_variant():
        return []
    return [
        (str(file.locate()), file.parent.as_posix())
        for name in distributions()
        if name.startswith("nvidia-") and name != "nvidia-ml-py"
        for file in importlib.metadata.distribution(name).files or ()
        if ".so" in file.name or file.suffix == ".dll"
    ]


def shipped_models() -> list[tuple[str, str]]:
    """The files of the default model and the voice detector, every byte checked.

    Raises:
        CaptionglassError: they are not installed here, or damaged.
    """
    from models import catalogue
    from models.store import ModelStore

    known, store = catalogue.load(), ModelStore()
    return [
        (str(files.path(file.name)), f"models/shipped/{files.spec.id}")
        for files in (store.verify(known.get(each)) for each in (known.default, known.vad))
        for file in files.spec.files
    ]


def distributions() -> list[str]:
    """The libraries that the program is made of: all that stand in its lock and are here."""
    lock = "gpu.txt" if gpu_variant() else "cpu.txt"
    text = (ROOT / "requirements" / lock).read_text(encoding="utf-8")
    names = {*re.findall(r"^([\w.-]+)==", text, re.MULTILINE), "redis", _PIP}
    return sorted(name for name in names if _is_here(name))


def _is_here(name: str) -> bool:
    try:
        importlib.metadata.distribution(name)
    except importlib.metadata.PackageNotFoundError:
        return False
    return True


def gpu_variant() -> bool:
    """Whether the environment has the runtime for NVIDIA's GPUs."""
    return _is_here("onnxruntime-gpu")


def licences() -> list[tuple[str, str]]:
    """The program's own licence and notices, and the licence texts of its libraries."""
    found = [
        (str(ROOT / "LICENSE"), "licences"),
        (str(ROOT / "THIRD-PARTY-NOTICES.md"), "licences"),
    ]
    own = Path(sys.base_prefix) / "lib" / f"python3.{sys.version_info.minor}" / "LICENSE.txt"
    for text in (own, Path(sys.base_prefix) / "LICENSE.txt"):
        if text.is_file():
            found.append((str(text), "licences/python"))
            break
    for name in distributions():
        for file in importlib.metadata.distribution(name).files or ():
            inside = ".dist-info" in file.parts[0] or len(file.parts) <= 2
            if inside and _NAMES_OF_LICENCES.search(file.name) and file.suffix != ".py":
                path = Path(str(file.locate()))
                if path.is_file():
                    found.append((str(path), f"licences/{name}"))
    return found


def system_licences(files: Iterable[tuple[str, str, str]]) -> list[tuple[str, str, str]]:
    """The licence texts of the system's own libraries that go in, where Debian's tools know them.

    Args:
        files: what goes in: place in the application, source, kind.

    Returns:
        Of the same form. ``licences/NAME/copyright`` for each Debian package.
    """
    if shutil.which("dpkg-query") is None:
        return []
    found = {}
    for _, source, _ in files:
        if source.startswith(("/usr/lib/", "/lib/")):
            for name in _owners(source):
                text = Path("/usr/share/doc") / name / "copyright"
                if text.is_file():
                    found[name] = (f"licences/{name}/copyright", str(text), "DATA")
    return [found[name] for name in sorted(found)]


def _owners(path: str) -> list[str]:
    """The Debian packages that a file belongs to; it may have moved from /lib to /usr/lib."""
    real = str(Path(path).resolve())
    names = [real, real.removeprefix("/usr")]
    done = subprocess.run(
        ["dpkg-query", "--search", *names], capture_output=True, encoding="utf-8", check=False
    )
    return [line.partition(":")[0] for line in done.stdout.splitlines() if ": /" in line]


def wanted(files: Iterable[tuple[str, str, str]]) -> list[tuple[str, str, str]]:
    """What PyInstaller has found, without what the program never opens.

    Args:
        files: its own triples: place in the application, source, kind.
    """
    return [each for each in files if not left_out(each[0])]


def left_out(place: str) -> bool:
    """Whether a file does not go into the application.

    Args:
        place: in it, with either kind of slash.
    """
    name = place.replace("\\", "/")
    return any(pattern.fullmatch(name) for pattern in _LEFT_OUT)
