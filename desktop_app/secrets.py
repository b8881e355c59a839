"""Passwords and tokens: in the keyring, or where there is none, for this run alone.

Looked for in this order: an environment variable (``CAPTIONGLASS_`` and the name in capitals), the
keyring, a file of mode 0600 where the user chose one (the setting ``secrets_in_file``), memory. A
keyring may ask a person for its password, and waits: never call this on the window's thread. No
secret is logged, nor part of an error.
"""

from __future__ import annotations

import contextlib
import json
import os
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from engine.errors import CaptionglassError
from models.whole import write_whole

Place = Literal["environment", "keyring", "file", "memory"]
"""Where a secret is kept; what is in ``memory`` is gone when the program ends."""

_SERVICE = "captionglass"


class SecretsError(CaptionglassError):
    """A secret that could not be kept or read where the user chose."""


class Secrets:
    """Secrets by name. Any thread; calls wait for one another.

    Args:
        file: keep them there, not in memory, where there is no keyring.
        environ: whose variables override what is kept; the process's own by default.
    """

    def __init__(self, file: Path | None = None, environ: Mapping[str, str] | None = None) -> None:
        self._file = file
        self._environ = os.environ if environ is None else environ
        self._memory: dict[str, str] = {}
        self._lock = threading.Lock()

    def get(self, name: str) -> str | None:
        """The secret, or None.

        Raises:
            SecretsError: the chosen file cannot be read, or others can read it.
        """
        return self.find(name)[0]

    def find(self, name: str) -> tuple[str | None, Place]:
        """The secret, or None, and where it was found.

        Raises:
            SecretsError: as ``get``.
        """
        if given := self._environ.get(variable(name)):
            return given, "environment"
        with self._lock:
            if kept := _from_keyring(name):
                return kept, "keyring"
            if self._file is not None and (kept := self._read(self._file).get(name)):
                return kept, "file"
            return self._memory.get(name), "memory"

    def set(self, name: str, value: str) -> Place:
        """Keep a secret.

        Returns:
            Where. A variable of the environment overrides it there too.

        Raises:
            SecretsError: the chosen file cannot be written, or others can read it.
        """
        with self._lock:
            if _into_keyring(name, value):
                self._forget(name)
                return "keyring"
            if self._file is not None:
                self._write(self._file, self._read(self._file) | {name: value})
                return "file"
            self._memory[name] = value
            return "memory"

    def delete(self, name: str) -> None:
        """Forget a secret, wherever it is kept.

        Raises:
            SecretsError: the chosen file cannot be written.
        """
        with self._lock:
            _out_of_keyring(name)
            self._forget(name)

    def keep_in(self, file: Path | None) -> None:
        """Keep secrets in that file from now on where there is no keyring, or in none; those of
        this run move into it.

        Raises:
            SecretsError: it cannot be written, or others can read it.
        """
        with self._lock:
            if file is not None and self._memory:
                self._write(file, self._read(file) | self._memory)
                self._memory.clear()
            self._file = file

    def _forget(self, name: str) -> None:
        self._memory.pop(name, None)
        if self._file is not None:
            kept = self._read(self._file)
            if kept.pop(name, None) is not None:
                self._write(self._file, kept)

    def _read(self, path: Path) -> dict[str, str]:
        try:
            if os.name == "posix" and path.stat().st_mode & 0o077:
                raise SecretsError(
                    f"other users of this computer can read the secrets in {path}",
                    f"chmod 600 {path}",
                )
            kept = json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return {}
        except (OSError, ValueError) as error:
            raise SecretsError(f"{path} cannot be read", "mend or delete it") from error
        if not isinstance(kept, dict):
            raise SecretsError(f"{path} holds no secrets", "mend or delete it")
        return {str(name): str(value) for name, value in kept.items()}

    def _write(self, path: Path, kept: dict[str, str]) -> None:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, json.dumps(kept).encode(), durable=True)
        except OSError as error:
            raise SecretsError(
                f"secrets cannot be kept in {path} ({error.strerror})", "make its folder writable"
            ) from error


def variable(name: str) -> str:
    """The environment variable that overrides a secret: ``CAPTIONGLASS_OBS_PASSWORD`` for
    ``obs-password``."""
    return f"CAPTIONGLASS_{name.upper().replace('-', '_')}"


def default_file() -> Path:
    """Where secrets go if the user chooses a file."""
    from platformdirs import user_config_path

    return user_config_path("captionglass", appauthor=False) / "secrets.json"


_shared: Secrets | None = None
_shared_lock = threading.Lock()


def shared() -> Secrets:
    """The program's own secrets, as the settings say."""
    global _shared
    with _shared_lock:
        if _shared is None:
            from desktop_app.settings.store import SettingsStore

            chosen = SettingsStore().load().secrets_in_file
            _shared = Secrets(default_file() if chosen else None)
        return _shared


def keep_in_file(chosen: bool) -> None:
    """Follow the setting ``secrets_in_file`` while the program runs. See ``Secrets.keep_in``."""
    if _shared is not None:
        _shared.keep_in(default_file() if chosen else None)


def get(name: str) -> str | None:
    """See ``Secrets.get``."""
    return shared().get(name)


def set(name: str, value: str) -> Place:
    """See ``Secrets.set``."""
    return shared().set(name, value)


def delete(name: str) -> None:
    """See ``Secrets.delete``."""
    shared().delete(name)


def _from_keyring(name: str) -> str | None:
    import keyring
    from keyring.errors import KeyringError

    try:
        return keyring.get_password(_SERVICE, name)
    except KeyringError:
        return None


def _into_keyring(name: str, value: str) -> bool:
    import keyring
    from keyring.errors import KeyringError

    try:
        keyring.set_password(_SERVICE, name, value)
        # A keyring that was switched off takes everything and keeps nothing.
        return keyring.get_password(_SERVICE, name) == value
    except KeyringError:
        return False


def _out_of_keyring(name: str) -> None:
    import keyring
    from keyring.errors import KeyringError

    with contextlib.suppress(KeyringError):
        keyring.delete_password(_SERVICE, name)
