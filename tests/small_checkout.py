"""A small checkout: the real set-up scripts and model store, around a program of a few lines."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from fixtures_models import TinyModel, build_wheel

REPOSITORY = Path(__file__).parent.parent

_PROGRAM = """
import json, os, sys, time
import tinylib
if sys.argv[1:2] == ["wait"]:
    try:
        print("waiting", flush=True)
        time.sleep(60)
    except KeyboardInterrupt:
        sys.exit(7)
print(json.dumps({"arguments": sys.argv[1:], "cwd": os.getcwd(), "tinylib": tinylib.VERSION}))
sys.exit(int(os.environ.get("EXIT_WITH", "0")))
"""


class SmallCheckout:
    """A checkout in a folder of its own, and a pip that finds its few wheels and nothing else.

    Attributes:
        root: the checkout.
        links: the wheels; delete one to make it unavailable.
        environment: what the scripts are started with.
    """

    def __init__(self, root: Path, links: Path, store: Path) -> None:
        self.root = root
        self.links = links
        self.environment = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("PIP_", "CAPTIONGLASS_")) and name != "PYTHONPATH"
        } | {
            "PIP_CONFIG_FILE": os.devnull,
            "PIP_NO_INDEX": "1",
            "PIP_FIND_LINKS": links.as_uri(),
            "CAPTIONGLASS_MODELS": str(store),
            "CAPTIONGLASS_RUNTIME": "cpu",
        }

    @classmethod
    def make(cls, folder: Path) -> SmallCheckout:
        """Lay it into ``folder``; nothing is set up yet."""
        checkout = cls(folder / "checkout", folder / "links", folder / "models")
        root = checkout.root
        (root / "scripts").mkdir(parents=True)
        for script in ("run.py", "setup_env.py", "setup_system.py", "setup_venv.py"):
            shutil.copy2(REPOSITORY / "scripts" / script, root / "scripts" / script)
        shutil.copytree(
            REPOSITORY / "models", root / "models", ignore=shutil.ignore_patterns("__pycache__")
        )
        TinyModel(checkout.links).write_catalogue(root / "models" / "catalogue.toml")
        (root / "desktop_app").mkdir()
        (root / "desktop_app" / "__init__.py").touch()
        (root / "desktop_app" / "__main__.py").write_text(_PROGRAM, encoding="utf-8")
        (root / "requirements").mkdir()
        checkout.lock("cpu.txt", "1.0")
        return checkout

    def lock(self, name: str, version: str) -> None:
        """Make a wheel of ``tinylib`` in that version, and lock it."""
        wheel = build_wheel(
            self.links, "tinylib", version, {"tinylib.py": f"VERSION = {version!r}\n".encode()}
        )
        digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
        (self.root / "requirements" / name).write_text(
            f"tinylib=={version} --hash=sha256:{digest}\n", encoding="utf-8"
        )

    def moved_to(self, root: Path) -> SmallCheckout:
        """The same checkout, set-up and all, copied to another folder."""
        shutil.copytree(self.root, root, symlinks=True)
        moved = SmallCheckout(root, self.links, Path(self.environment["CAPTIONGLASS_MODELS"]))
        moved.environment = dict(self.environment)
        return moved

    def start(self, *arguments: str, **options: Any) -> subprocess.Popen[str]:
        """Start ``run.py``."""
        return subprocess.Popen(
            [sys.executable, str(self.root / "scripts" / "run.py"), *arguments],
            **{
                "env": self.environment, "stdin": subprocess.DEVNULL, "encoding": "utf-8",
                "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "cwd": self.root, **options,
            },
        )  # fmt: skip

    def run(self, *arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
        """Start ``run.py`` and wait for its end."""
        process = self.start(*arguments, **options)
        out, err = process.communicate(timeout=120)
        return subprocess.CompletedProcess(arguments, process.returncode, out, err)

    def stamp(self) -> dict[str, Any]:
        """What .venv says it is."""
        text = (self.root / ".venv" / "captionglass.json").read_text(encoding="utf-8")
        stamp: dict[str, Any] = json.loads(text)
        return stamp

    def state(self) -> dict[str, tuple[int, int]]:
        """Every file below it with its size and time of change: what a start may not touch."""
        return {
            str(path.relative_to(self.root)): (path.stat().st_size, path.stat().st_mtime_ns)
            for path in self.root.rglob("*")
            if path.is_file() and "__pycache__" not in path.parts
        }
