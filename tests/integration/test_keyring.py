"""Secrets in a real keyring: GNOME's, in a session of the test's own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        shutil.which("gnome-keyring-daemon") is None or shutil.which("dbus-run-session") is None,
        reason="no GNOME keyring here",
    ),
]

SESSION = """
printf 'unlocked' | gnome-keyring-daemon --unlock --components=secrets --daemonize >/dev/null
"$PYTHON" -c "from desktop_app import secrets; print(secrets.set('obs_password', 'pass 密码'))"
"$PYTHON" -c "from desktop_app import secrets; print(secrets.shared().find('obs_password'))"
"$PYTHON" -c "from desktop_app import secrets; secrets.delete('obs_password')"
"$PYTHON" -c "from desktop_app import secrets; print(secrets.shared().find('obs_password'))"
"""


def test_the_password_of_obs_outlives_the_program_in_the_keyring(tmp_path: Path) -> None:
    environment = {
        name: value
        for name, value in os.environ.items()
        if name not in ("PYTHON_KEYRING_BACKEND", "DBUS_SESSION_BUS_ADDRESS")
    }
    for name in ("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR"):
        folder = tmp_path / name
        folder.mkdir(mode=0o700)
        environment[name] = str(folder)
    done = subprocess.run(
        ["dbus-run-session", "--", "sh", "-c", SESSION],
        env=environment | {"PYTHON": sys.executable, "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        encoding="utf-8",
        timeout=120,
    )
    assert done.stdout.splitlines() == [
        "keyring",
        "('pass 密码', 'keyring')",
        "(None, 'memory')",
    ], done.stderr
