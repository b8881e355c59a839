"""The folder that was built as one file to download: alike wherever and whenever it is packed."""

from __future__ import annotations

import subprocess
import sys
import tarfile
import zipfile
from datetime import UTC, datetime
from pathlib import Path

_NOBODY = 0


def listing(folder: Path) -> list[str]:
    """Every file in it, with a slash between folders, in order."""
    return sorted(
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.is_symlink() or path.is_file()
    )


def size(folder: Path) -> int:
    """Bytes of all its files."""
    return sum(path.lstat().st_size for path in folder.rglob("*") if path.is_file())


def pack(folder: Path, stem: Path, epoch: int) -> Path:
    """Pack a folder: as .tar.xz on Linux, as .zip elsewhere.

    Args:
        folder: what goes in, with its own name.
        stem: the file to make, without its ending.
        epoch: seconds since 1970 that everything is dated.
    """
    system: str = sys.platform
    if system == "linux":
        return _tar(folder, stem.with_name(f"{stem.name}.tar.xz"), epoch)
    target = stem.with_name(f"{stem.name}.zip")
    if system == "darwin":
        # It keeps the links and the signature of a bundle, which zipfile would not.
        subprocess.run(["ditto", "-c", "-k", "--keepParent", str(folder), str(target)], check=True)
        return target
    return _zip(folder, target, epoch)


def _tar(folder: Path, target: Path, epoch: int) -> Path:
    def plain(member: tarfile.TarInfo) -> tarfile.TarInfo:
        member.uid = member.gid = _NOBODY
        member.uname = member.gname = ""
        member.mtime = epoch
        member.mode = 0o755 if member.mode & 0o100 else 0o644
        return member

    with tarfile.open(target, "w:xz", preset=6) as archive:
        archive.add(folder, folder.name, recursive=False, filter=plain)
        for path in sorted(folder.rglob("*")):
            archive.add(path, _inside(path, folder), recursive=False, filter=plain)
    return target


def _zip(folder: Path, target: Path, epoch: int) -> Path:
    moment = datetime.fromtimestamp(epoch, UTC).timetuple()[:6]
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                member = zipfile.ZipInfo(_inside(path, folder), moment)
                member.compress_type = zipfile.ZIP_DEFLATED
                archive.writestr(member, path.read_bytes())
    return target


def _inside(path: Path, folder: Path) -> str:
    return f"{folder.name}/{path.relative_to(folder).as_posix()}"
