#!/usr/bin/env python3
"""Build the application that needs no Python, try it on an empty machine, and pack it into dist/.

    python3 scripts/package.py                     the one for every computer
    python3 scripts/package.py --gpu               with the runtime for NVIDIA's GPUs
    python3 scripts/package.py --compare OLD.txt   fail unless it holds the files that OLD.txt lists

Standard library only; what PyInstaller needs goes into an environment of its own below build/.
"""

from __future__ import annotations

import sys

if sys.version_info < (3, 11):  # noqa: UP036 - started by hand, with whatever Python is there
    sys.exit("scripts/package.py: Python 3.11 or newer is needed")

import argparse
import hashlib
import os
import platform
import re
import shutil
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

from packing import archive, deb, trial

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build"
DIST = ROOT / "dist"


class PackageError(Exception):
    """Why there is no package, in one line."""


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--gpu", action="store_true", help="with onnxruntime-gpu, CUDA and cuDNN")
    parser.add_argument("--compare", type=Path, metavar="LIST", help="of an earlier build")
    parser.add_argument(
        "--built", action="store_true", help="do not build: try and pack what was built last"
    )
    options = parser.parse_args()
    try:
        _package(options.gpu, options.compare, built=options.built)
    except (PackageError, trial.TrialError) as error:
        print(f"package: {error}", file=sys.stderr)
        return 1
    except subprocess.CalledProcessError as error:
        print(f"package: {error.cmd[0]} ended with {error.returncode}", file=sys.stderr)
        return 1
    return 0


def _package(gpu: bool, compare: Path | None, *, built: bool) -> None:
    kind = "gpu" if gpu else "cpu"
    name = "captionglass-gpu" if gpu else "captionglass"
    application = BUILD / "package" / "dist" / name
    version, epoch = _version(), _epoch()
    python = _environment(kind)
    if not built:
        began = time.monotonic()
        _build(python, epoch)
        print(f"built in {time.monotonic() - began:.0f} s")
    trial.try_out(application)
    listing = archive.listing(application)
    print(f"{len(listing)} files, {archive.size(application) / 1e6:.0f} MB")
    DIST.mkdir(exist_ok=True)
    stem = f"{name}-{version}-{_system()}"
    listed = DIST / f"{stem}.files.txt"
    if compare is not None:
        _compare(compare.read_text(encoding="utf-8").splitlines(), listing)
    listed.write_text("\n".join(listing) + "\n", encoding="utf-8")
    bill = DIST / f"{stem}.cdx.json"
    _run([python, "-m", "packing.sbom", application, bill])
    made = [bill]
    if sys.platform == "linux" and shutil.which("dpkg-deb"):
        if faults := deb.checks():
            raise PackageError("; ".join(faults))
        target = DIST / f"{stem}.deb"
        deb.build(application, version, BUILD / "package" / "deb", target, epoch)
        made.append(target)
    made.append(archive.pack(_what_is_given(application), DIST / stem, epoch))
    sums = [f"{_sha256(path)}  {path.name}" for path in made]
    (DIST / f"{stem}.sha256").write_text("\n".join(sums) + "\n", encoding="utf-8", newline="\n")
    for path in made:
        print(f"{path.stat().st_size / 1e6:7.1f} MB  {path.relative_to(ROOT)}")


def _environment(kind: str) -> Path:
    """Make or complete the environment that the application is built in; its Python."""
    folder = BUILD / f"package-{kind}"
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    locks = [ROOT / "requirements" / f"{kind}.txt", ROOT / "requirements" / "package.txt"]
    wanted = " ".join(map(_sha256, locks))
    stamp = folder / "captionglass.txt"
    if not python.exists() or not stamp.exists() or stamp.read_text(encoding="utf-8") != wanted:
        print(f"installing what it is made of into {folder.relative_to(ROOT)}")
        stamp.unlink(missing_ok=True)
        if not python.exists():
            _run([sys.executable, "-m", "venv", folder])
        _run(
            [
                *(python, "-m", "pip", "install", "--quiet", "--require-hashes"),
                *("--only-binary=:all:", "--no-input", "--disable-pip-version-check"),
                *(part for lock in locks for part in ("-r", lock)),
            ]
        )
        stamp.write_text(wanted, encoding="utf-8")
    _run([python, "-P", "-m", "models.download"])
    return python


def _build(python: Path, epoch: int) -> None:
    work = BUILD / "package"
    log = work / "build.log"
    work.mkdir(parents=True, exist_ok=True)
    places = ("--distpath", work / "dist", "--workpath", work / "work")
    # So that two builds of one commit are alike.
    fixed = {"PYTHONHASHSEED": "1", "SOURCE_DATE_EPOCH": str(epoch)}
    with log.open("w", encoding="utf-8") as said:
        done = subprocess.run(
            [python, "-P", "-m", "PyInstaller", "pyinstaller.spec", "--noconfirm", *places],
            cwd=ROOT,
            env={**_variables(), **fixed},
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=subprocess.STDOUT,
            check=False,
        )
    if done.returncode:
        lines = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
        raise PackageError(f"PyInstaller failed ({lines[-1] if lines else 'silently'}): see {log}")


def _what_is_given(application: Path) -> Path:
    """What people unpack: on macOS the bundle, elsewhere the folder."""
    bundle = application.parent / "Captionglass.app"
    return bundle if sys.platform == "darwin" else application


def _compare(before: Sequence[str], now: Sequence[str]) -> None:
    gone, new = sorted(set(before) - set(now)), sorted(set(now) - set(before))
    if gone or new:
        shown = ", ".join([*(f"-{each}" for each in gone), *(f"+{each}" for each in new)][:8])
        raise PackageError(f"the builds hold different files: {shown}")
    print("the same files as before")


def _version() -> str:
    text = (ROOT / "desktop_app" / "__init__.py").read_text(encoding="utf-8")
    found = re.search(r'^__version__ = "(.+)"$', text, re.MULTILINE)
    if found is None:
        raise PackageError("desktop_app/__init__.py says no version")
    return found[1]


def _epoch() -> int:
    """When the commit was made, which everything in the packages is dated."""
    if given := os.environ.get("SOURCE_DATE_EPOCH"):
        return int(given)
    said = subprocess.run(
        ["git", "log", "-1", "--format=%ct"],
        cwd=ROOT, capture_output=True, encoding="utf-8", check=False,
    )  # fmt: skip
    return int(said.stdout) if said.returncode == 0 else int(time.time())


def _system() -> str:
    machine = {"amd64": "x86_64", "arm64": "aarch64"}.get(
        platform.machine().lower(), platform.machine().lower()
    )
    return f"{ {'darwin': 'macos'}.get(sys.platform, platform.system().lower()) }-{machine}"


def _variables() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join((str(ROOT), str(ROOT / "scripts")))}


def _run(command: Sequence[str | Path]) -> None:
    subprocess.run(command, cwd=ROOT, env=_variables(), stdin=subprocess.DEVNULL, check=True)


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


if __name__ == "__main__":
    sys.exit(main())
