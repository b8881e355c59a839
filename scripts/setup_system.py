"""Debian and Ubuntu packages the program and its tests need, and how they get there.

On other systems there is nothing to do: the wheels bring what they need.
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import NamedTuple


class Need(NamedTuple):
    """One system package.

    Attributes:
        names: what it is called; the first one is installed, any one of them will do
            (newer releases renamed some with a ``t64`` ending).
        why: what breaks without it.
    """

    names: tuple[str, ...]
    why: str


def _need(names: str, why: str) -> Need:
    return Need(tuple(names.split()), why)


RUN: tuple[Need, ...] = (
    _need("libportaudio2", "sounddevice opens devices through PortAudio"),
    _need("libasound2-plugins", "PortAudio reaches PulseAudio and PipeWire through ALSA's plug-in"),
    _need("libpulse0", "pulsectl lists what plays and what listens"),
    _need("libglib2.0-0 libglib2.0-0t64", "Qt's core"),
    _need("libfontconfig1", "Qt finds fonts"),
    _need("libdbus-1-3", "Qt and the keyring talk to the desktop"),
    _need("libegl1", "Qt's gui library is linked to it"),
    _need("libgl1", "Qt's gui library is linked to it"),
    _need("libxkbcommon0", "Qt reads the keyboard"),
    _need("libxkbcommon-x11-0", "Qt on X11"),
    _need("libxcb-cursor0", "Qt on X11"),
    # Without these two Qt still blames libxcb-cursor0.
    _need("libxcb-icccm4", "Qt on X11"),
    _need("libxcb-keysyms1", "Qt on X11"),
    _need("libxcb-shape0", "Qt on X11, and letting clicks through the overlay"),
    _need("libxcb-xkb1", "Qt on X11"),
    _need("libxcb-render-util0", "Qt on X11"),
    _need("libxcb-image0", "Qt on X11"),
    _need("libxcb-randr0", "Qt on X11 knows the screens"),
    _need("libwayland-cursor0", "Qt on Wayland"),
    _need("libwayland-egl1", "Qt on Wayland"),
    _need("fonts-dejavu-core", "some font has to be there; this one is the overlay's default"),
)
"""What the program itself loads."""

TEST: tuple[Need, ...] = (
    _need("xvfb", "a screen where there is none"),
    _need("openbox", "a window manager on it"),
    _need("picom", "a compositor on it: translucency is seen, not assumed"),
    _need("xdotool", "a mouse and a keyboard on it"),
    _need("x11-utils", "xprop and xwininfo ask the X server what it really has"),
    _need("imagemagick", "takes pictures of the screen"),
    _need("pulseaudio", "a sound server of the test's own"),
    _need("pulseaudio-utils", "pactl and pacat steer it"),
    _need("sox", "makes and measures sound"),
    _need("dbus", "a session bus of the test's own"),
    _need("fonts-noto-cjk", "Chinese captions are drawn"),
    _need("fonts-noto-color-emoji", "emoji captions are drawn"),
    _need("gcc", "builds the stand-in for the NVIDIA driver's library"),
    _need("libc6-dev", "builds it"),
    _need("git", "the house rules look at tracked files"),
    _need("chromium", "loads the web overlay as OBS does"),
    _need("redis-server", "takes the captions of the Redis sink"),
    _need("obs-studio", "shows the captions"),
    _need("ffmpeg", "takes the stream of OBS, and reads the closed captions in it"),
    _need("x11-xserver-utils", "xrandr plugs screens in and out"),
    _need("gnome-keyring", "keeps the secrets of the test's own session"),
    _need("tint2", "a panel with a tray"),
    _need("weston", "a Wayland compositor that needs no screen"),
    _need("xwayland", "X on it"),
    _need("desktop-file-utils", "checks the menu entry of the package"),
    _need("appstream", "checks what software centres show of the package"),
)
"""What only the tests use."""


class SystemPackages(NamedTuple):
    """How it went: ``missing`` is still not there; ``command`` is the one line that brings it."""

    missing: tuple[str, ...]
    command: str
    reason: str


def has_apt() -> bool:
    """Whether this is a Debian or one of its children."""
    return (
        sys.platform == "linux"
        and shutil.which("dpkg-query") is not None
        and shutil.which("apt-get") is not None
    )


def missing(needs: tuple[Need, ...]) -> tuple[str, ...]:
    """The first names of the packages of which no name is installed."""
    import subprocess

    names = [name for need in needs for name in need.names]
    answer = subprocess.run(
        ["dpkg-query", "-W", "-f", "${Package} ${db:Status-Status}\\n", *names],
        capture_output=True,
        text=True,
        check=False,  # it exits 1 as soon as one name is unknown, and still lists the others
    )
    installed = {
        line.split()[0] for line in answer.stdout.splitlines() if line.endswith(" installed")
    }
    return tuple(need.names[0] for need in needs if not installed.intersection(need.names))


def _privilege() -> list[str] | None:
    """What to put before a command to run it as root, or None where that needs a password."""
    import subprocess

    if os.geteuid() == 0:
        return []
    sudo = shutil.which("sudo")
    if sudo is None:
        return None
    probe = subprocess.run(
        [sudo, "-n", "true"], stdin=subprocess.DEVNULL, capture_output=True, check=False
    )
    return [sudo, "-n"] if probe.returncode == 0 else None


def install(packages: tuple[str, ...]) -> SystemPackages:
    """Install packages where that may be done without asking anybody.

    Returns:
        what is still missing afterwards, the line that a person can run, and why we could not.
    """
    # --no-remove: pulseaudio and pipewire-alsa throw each other out, and a desk keeps its sound.
    apt = ["apt-get", "install", "-y", "--no-install-recommends", "--no-remove", *packages]
    command = f"{'' if os.geteuid() == 0 else 'sudo '}{' '.join(apt)}"
    privilege = _privilege()
    if privilege is None:
        return SystemPackages(packages, command, "that needs root")
    # The index on disk may be empty or name versions that are gone; its failure is not ours yet.
    _apt([*privilege, "apt-get", "update"])
    failure = _apt([*privilege, *apt])
    return SystemPackages(packages if failure else (), command, failure)


def _apt(command: list[str]) -> str:
    """Run one apt-get command; what went wrong in one line, or nothing."""
    import subprocess

    at = command.index("apt-get")
    quiet = [
        *command[: at + 1],
        "-q",
        *("-o", "DPkg::Lock::Timeout=120"),
        *command[at + 1 :],
    ]
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C"}
    answer = subprocess.run(
        quiet,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=environment,
        text=True,
        errors="replace",
        check=False,
    )
    if answer.returncode == 0:
        return ""
    errors = [line[3:] for line in answer.stdout.splitlines() if line.startswith("E: ")]
    return errors[0] if errors else f"apt-get ended with {answer.returncode}"


def python_needs() -> tuple[Need, ...]:
    """Debian splits what ``python -m venv`` needs into a package of its own."""
    from importlib.util import find_spec

    if find_spec("ensurepip") is not None or not sys.base_prefix.startswith("/usr"):
        return ()
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    return (_need(f"python{version}-venv", "python -m venv"),)


def fingerprint(needs: tuple[Need, ...]) -> str:
    """Changes when the list does; names the release, so that an upgraded system is looked at."""
    import hashlib

    release = Path("/etc/os-release")
    system = release.read_bytes() if release.exists() else sys.platform.encode()
    text = " ".join(name for need in needs for name in need.names)
    return hashlib.sha256(system + text.encode()).hexdigest()[:16]
