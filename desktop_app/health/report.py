"""A text for a bug report, with nothing private in it. Needs no Qt; always in English.

What is said comes from a closed set wherever it can: versions, numbers, codes, ids of the shipped
catalogue. Of settings only switches, numbers and choices are shown; a text somebody typed never is.
The few sentences that libraries and drivers word by themselves are cleaned of paths, addresses, and
the names of the user and the computer.
"""

from __future__ import annotations

import contextlib
import getpass
import importlib.metadata
import math
import os
import platform
import re
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_origin

from desktop_app import __version__
from desktop_app.health import logs

if TYPE_CHECKING:
    from desktop_app.health.check import Check
    from desktop_app.settings.declared import Settings
    from engine.gpu import GpuReading
    from engine.types import EngineStats, Percentiles
    from models.spec import ModelSpec

Lines = list[tuple[str, str]]
"""What is said, and of what."""

_LIBRARIES = (
    "PySide6-Essentials", "onnxruntime", "onnxruntime-gpu", "ctranslate2", "numpy", "sounddevice",
    "pyqtgraph",
)  # fmt: skip
_LANES = ("mic", "system", "file", "stdin", "app")
_SESSIONS = ("x11", "wayland", "tty", "mir")
_DESKTOPS = (
    "gnome", "kde", "xfce", "mate", "cinnamon", "x-cinnamon", "lxqt", "lxde", "unity", "ubuntu",
    "budgie", "sway", "hyprland", "i3", "pantheon", "deepin", "enlightenment", "openbox", "cosmic",
)  # fmt: skip
_SOURCE_KINDS = ("mic", "system", "both", "app")
_TOLD_WHOLE = ("program", "screen", "compositor", "provider", "GPU", "keyring")
"""Checks whose detail names no device and no folder."""
_LOG_LINES = 80
_PLACE = re.compile(r"[\w.-]+(/[\w.-]+)*\.py:\d+")
_COLOUR = re.compile(r"#[0-9a-fA-F]{6}")
_LANGUAGE = re.compile(r"[a-z]{2}(-[A-Za-z]{2,4})?")
_CODE = re.compile(r"[a-z0-9_-]+(\.[a-z0-9_-]+)*")
_PUBLISHED = re.compile(r"\b(int8|int4|uint8|fp16|q4|q8)\b|[._-](int8|int4|uint8|fp16)\b")


@dataclass(frozen=True, slots=True)
class Machine:
    """What the operating system says about this process and the GPU.

    Attributes:
        cores: processor cores in use since the reading before; None at the first.
        memory: resident bytes.
        gpu: None where there is no NVIDIA GPU.
        why_no_gpu: one clause; empty where there is one.
    """

    cores: float | None
    memory: int
    gpu: GpuReading | None
    why_no_gpu: str = ""


@dataclass(frozen=True, slots=True)
class Said:
    """A notice that was shown, by its code alone.

    Attributes:
        at: ``time.time()``.
        code: ``source.lost``.
    """

    at: float
    code: str


def running_report(
    stats: EngineStats,
    machine: Machine | None,
    settings: Settings,
    notices: Sequence[Said] = (),
    screen: str = "",
) -> str:
    """What the program does at present.

    Args:
        screen: what Qt draws on, in a few words: its platform, sizes and scaling.
    """
    return _text(
        ("Versions", _versions()),
        ("Machine", [*_machine(screen), *_readings(machine)]),
        ("Engine", _engine(stats)),
        ("Figures", _figures(stats)),
        ("Last notices", _said(notices)),
        ("Settings that differ", differing(settings)),
    )


def write_doctor_report(path: Path, checks: Sequence[Check]) -> None:
    """Write what can be said without the program running.

    Raises:
        CaptionglassError: the file cannot be written.
    """
    from engine.errors import CaptionglassError
    from models.whole import write_whole

    settings, codes = _settings_on_disk()
    told = [
        (
            check.name,
            ("ok" if check.ok else "problem")
            + (f": {clean(check.detail)}" if check.name in _TOLD_WHOLE else ""),
        )
        for check in checks
    ]
    text = _text(
        ("Versions", _versions()),
        ("Machine", _machine()),
        ("Checks", told),
        ("Last notices", [("", code) for code in codes]),
        ("Settings that differ", differing(settings)),
        ("Last crash", [("", _clean_line(line)) for line in logs.last_crash()]),
        ("End of the log", [("", _clean_line(line)) for line in logs.tail(_LOG_LINES)]),
    )
    try:
        write_whole(path, text.encode())
    except OSError as error:
        raise CaptionglassError(
            f"{path} cannot be written ({error.strerror})", "name a file in a folder of yours"
        ) from error


def differing(settings: Settings) -> Lines:
    """The settings that are not as they were shipped, private ones without their values."""
    fields = type(settings).model_fields
    defaults = type(settings)()
    return [
        (name, _value(name, getattr(settings, name), field.annotation))
        for name, field in fields.items()
        if getattr(settings, name) != getattr(defaults, name)
    ]


def weights(spec: ModelSpec) -> str:
    """What a model's weights are made of: ``int8``, ``float``; empty where nobody knows."""
    if spec.precision:
        return spec.precision
    found = {
        next(group for group in match.groups() if group)
        for file in spec.files
        for match in _PUBLISHED.finditer(file.name)
    }
    return ", ".join(sorted(found))


def describe_model(model_id: str) -> str:
    """A model for strangers: the ids of one's own models are one's own words."""
    from models import catalogue
    from models.errors import ModelError

    if not model_id:
        return "none"
    try:
        spec = next((each for each in catalogue.load() if each.id == model_id), None)
        shipped = {each.id for each in catalogue.load(catalogue.CATALOGUE)}
    except ModelError:
        return "one that is not in the catalogue"
    if spec is None:
        return "one that is not in the catalogue"
    made = weights(spec)
    if spec.id in shipped:
        return f"{spec.id} ({made})" if made else spec.id
    base = spec.derived_from if spec.derived_from in shipped else f"a {spec.family} of one's own"
    return f"made from {base} ({made})" if made else f"made from {base}"


def clean(text: str) -> str:
    """A sentence without paths, addresses, and the names of the user and the computer."""
    home = str(Path.home())
    if len(home) > 1:
        # A path may hold blanks: all of it, up to what ends it in a sentence.
        text = re.sub(re.escape(home) + r"[^'\"():,;]*", "(path)", text)
    text = re.sub(r"[^\s'\"()]*[/\\@][^\s'\"()]*", "(path)", text)
    text = re.sub(r"\b\d{1,3}(\.\d{1,3}){3}(:\d+)?\b", "(address)", text)
    for name in sorted(_private_names(), key=len, reverse=True):
        text = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", "(name)", text, flags=re.IGNORECASE)
    return " ".join(text.split())


def _clean_line(line: str) -> str:
    """A line of the log, in which places in the program's own code are no paths."""
    words = (word if _PLACE.fullmatch(word) else clean(word) for word in line.split())
    return " ".join(words)


def _private_names() -> set[str]:
    names = {platform.node(), platform.node().partition(".")[0], Path.home().name}
    with contextlib.suppress(OSError, KeyError, ImportError):
        names.add(getpass.getuser())
    if sys.platform != "win32":
        import pwd

        with contextlib.suppress(KeyError):
            full = pwd.getpwuid(os.getuid()).pw_gecos.partition(",")[0]
            names |= {full, *full.split()}
    return {name for name in names if len(name) > 1 and name != "localhost"}


def _text(*sections: tuple[str, Lines]) -> str:
    width = 2 + max(len(label) for _, lines in sections for label, _ in lines)
    blocks = ["Captionglass report"]
    for title, lines in sections:
        rows = [f"  {label:<{width}}{value}".rstrip() for label, value in lines] or ["  none"]
        blocks.append("\n".join([title, *rows]))
    return "\n\n".join(blocks) + "\n"


def _versions() -> Lines:
    found = [("captionglass", __version__), ("Python", platform.python_version())]
    for name in _LIBRARIES:
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            found.append((name, importlib.metadata.version(name)))
    return found


def _machine(screen: str = "") -> Lines:
    import psutil

    system = " ".join((platform.system(), clean(platform.release()), platform.machine()))
    return [
        ("system", _distribution() + system),
        ("session", _session() + (f"; Qt on {clean(screen)}" if screen else "")),
        ("processors", str(os.cpu_count() or "unknown")),
        ("memory", f"{psutil.virtual_memory().total / 2**30:.1f} GiB"),
    ]


def _distribution() -> str:
    if sys.platform != "linux":
        return ""
    try:
        return f"{platform.freedesktop_os_release().get('PRETTY_NAME', 'Linux')}, "
    except OSError:
        return ""


def _session() -> str:
    """Which kind of desktop; what is set to anything else is not repeated."""
    if sys.platform != "linux":
        return "the system's own"
    kind = os.environ.get("XDG_SESSION_TYPE", "")
    desktop = os.environ.get("XDG_CURRENT_DESKTOP", "")
    known = [part for part in desktop.split(":") if part.lower() in _DESKTOPS]
    return ", ".join([kind if kind in _SESSIONS else "no session type", *known])


def _readings(machine: Machine | None) -> Lines:
    if machine is None:
        return []
    rows = [("this program", f"{machine.memory / 2**20:.0f} MiB")]
    if machine.cores is not None:
        rows[0] = ("this program", f"{machine.cores:.2f} cores, {rows[0][1]}")
    gpu = machine.gpu
    if gpu is None:
        return [*rows, ("GPU", clean(machine.why_no_gpu) or "none")]
    used = f"{gpu.memory_used / 2**30:.1f} of {gpu.memory_total / 2**30:.1f} GiB"
    busy = "" if gpu.utilisation is None else f", {gpu.utilisation} % busy"
    return [*rows, ("GPU", f"{clean(gpu.name)}, {used}{busy}")]


def _engine(stats: EngineStats) -> Lines:
    rows = [("state", str(stats.state)), ("model", describe_model(stats.model_id))]
    if stats.next_model_id:
        rows.append(("going over to", describe_model(stats.next_model_id)))
    rows += [
        ("provider", clean(stats.provider) or "none"),
        ("asked for", clean(stats.provider_asked) or "none"),
        ("reason", clean(stats.provider_reason) or "none"),
        ("warm-up", f"{stats.warm_up_ms:.0f} ms"),
        ("noise suppression", clean(stats.denoiser_id) or "off"),
    ]
    return rows


def _figures(stats: EngineStats) -> Lines:
    rows = [
        ("first shown", _latency(stats.first_latency)),
        ("stable", _latency(stats.stable_latency)),
        ("erasure", f"{stats.revisions:.2f}"),
        ("real-time factor", f"{stats.rtf:.2f}"),
        ("behind", f"{stats.lag_s:.2f} s"),
        ("sound", f"{stats.audio_s:.0f} s, {100 * stats.rested:.0f} % of it at rest"),
        ("lost samples", str(stats.lost_samples)),
        ("words, lines", f"{stats.words}, {stats.segments}"),
    ]
    for number, lane in enumerate(sorted(stats.level_dbfs), 1):
        level, peak = stats.level_dbfs[lane], stats.peak_dbfs.get(lane, -math.inf)
        said = f"{level:.0f} dBFS, peak {peak:.0f}" if math.isfinite(level) else "silent"
        marks = [("speech", stats.speaking), ("cut off", stats.clipping)]
        marks.append(("too quiet", stats.too_quiet))
        said += "".join(f", {word}" for word, lanes in marks if lane in lanes)
        rows.append((f"level of {lane if lane in _LANES else f'lane {number}'}", said))
    return rows


def _latency(latency: Percentiles) -> str:
    if latency.p50 is None or latency.p95 is None:
        return "unknown"
    return f"p50 {latency.p50:.0f} ms, p95 {latency.p95:.0f} ms"


def _said(notices: Sequence[Said]) -> Lines:
    return [
        (time.strftime("%H:%M:%S", time.localtime(each.at)), each.code)
        for each in notices
        if _CODE.fullmatch(each.code)
    ]


def _value(name: str, value: object, kind: object) -> str:
    if isinstance(value, (bool, int, float)) or get_origin(kind) is Literal:
        return str(value)
    if name == "model":
        return describe_model(str(value))
    if name == "source":
        head = str(value).partition(":")[0]
        return head if head in _SOURCE_KINDS else "a file"
    if isinstance(value, str) and (
        _COLOUR.fullmatch(value) or (name == "language" and _LANGUAGE.fullmatch(value))
    ):
        return value
    return "changed"


def _settings_on_disk() -> tuple[Settings, list[str]]:
    """Read from a copy: a file that is broken is to be found as it is by the next start."""
    from desktop_app.settings.store import SettingsStore, default_path

    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "settings.toml"
        with contextlib.suppress(OSError):
            copy.write_bytes(default_path().read_bytes())
        store = SettingsStore(copy)
        settings = store.load()
        return settings, [notice.code for notice in store.notices]
