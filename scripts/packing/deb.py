"""A Debian package around the packaged application."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import setup_system

ROOT = Path(__file__).resolve().parents[2]
LINUX = ROOT / "assets" / "linux"

# The application brings PortAudio; the rest of what it needs is what a checkout needs.
_BROUGHT = ("libportaudio2",)

_GLIBC = re.compile(rb"\0GLIBC_2\.(\d+)(?=\0)")

_CONTROL = """\
Package: captionglass
Version: {version}
Architecture: {architecture}
Maintainer: The Captionglass authors <captionglass@localhost>
Installed-Size: {kilobytes}
Depends: {depends}
Section: sound
Priority: optional
Description: live captions of whatever you hear or say
 A translucent window above everything else shows what is being said, a
 fraction of a second after it was said. Speech is recognised on your own
 machine; nothing is sent anywhere.
"""


def depends(application: Path) -> str:
    """The packages it needs, as ``Depends:`` says it."""
    needs = [need for need in setup_system.RUN if need.names[0] not in _BROUGHT]
    library = f"libc6 (>= {needed_glibc(application)})"
    return ", ".join([library, *(" | ".join(need.names) for need in needs)])


def needed_glibc(application: Path) -> str:
    """The oldest C library that all of the programs and libraries inside run with: ``2.34``."""
    minor = 17
    for path in application.rglob("*"):
        if path.is_file() and (".so" in path.name or not path.suffix):
            content = path.read_bytes()
            if content.startswith(b"\x7fELF"):
                minor = max(minor, *map(int, _GLIBC.findall(content)), 0)
    return f"2.{minor}"


def build(application: Path, version: str, tree: Path, target: Path, epoch: int) -> None:
    """Make the package.

    Args:
        application: the folder that PyInstaller made.
        version: of the program.
        tree: a folder that is emptied and filled.
        target: the file to make.
        epoch: seconds since 1970 that everything in it is dated.

    Raises:
        subprocess.CalledProcessError: dpkg-deb refuses.
    """
    shutil.rmtree(tree, ignore_errors=True)
    inside = tree / "usr" / "lib" / "captionglass"
    shutil.copytree(application, inside, symlinks=True)
    for place, name in (
        ("applications", "captionglass.desktop"),
        ("metainfo", "captionglass.metainfo.xml"),
    ):
        _copy(LINUX / name, tree / "usr" / "share" / place / name)
    icons = tree / "usr" / "share" / "icons" / "hicolor" / "scalable" / "apps"
    _copy(ROOT / "assets" / "icon.svg", icons / "captionglass.svg")
    documents = tree / "usr" / "share" / "doc" / "captionglass"
    _copy(ROOT / "LICENSE", documents / "copyright")
    _copy(ROOT / "THIRD-PARTY-NOTICES.md", documents / "THIRD-PARTY-NOTICES.md")
    command = tree / "usr" / "bin" / "captionglass"
    command.parent.mkdir(parents=True)
    command.symlink_to("../lib/captionglass/captionglass")
    architecture = subprocess.run(
        ["dpkg", "--print-architecture"], check=True, capture_output=True, encoding="utf-8"
    ).stdout.strip()
    size = sum(path.lstat().st_size for path in tree.rglob("*")) // 1024
    control = tree / "DEBIAN" / "control"
    control.parent.mkdir()
    control.write_text(
        _CONTROL.format(
            version=version, architecture=architecture, kilobytes=size, depends=depends(application)
        ),
        encoding="utf-8",
    )
    for path in (tree, *tree.rglob("*")):
        if path.is_dir() and not path.is_symlink():
            path.chmod(0o755)
    subprocess.run(
        ["dpkg-deb", "--root-owner-group", "-Zzstd", "-z12", "--build", str(tree), str(target)],
        check=True,
        env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "SOURCE_DATE_EPOCH": str(epoch)},
        stdout=subprocess.DEVNULL,
    )


def checks() -> list[str]:
    """What the validators say against the desktop file and the AppStream metadata.

    A validator that is not installed says nothing.
    """
    said = []
    for command in (
        ["desktop-file-validate", str(LINUX / "captionglass.desktop")],
        ["appstreamcli", "validate", "--no-net", str(LINUX / "captionglass.metainfo.xml")],
    ):
        if shutil.which(command[0]) is None:
            continue
        done = subprocess.run(command, check=False, capture_output=True, encoding="utf-8")
        if done.returncode:
            said.append(f"{command[0]}: {(done.stdout + done.stderr).strip()}")
    return said


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)
    target.chmod(0o644)
