"""``captionglass obs-password``: keep the password of OBS where captions find it."""

from __future__ import annotations

import getpass
import sys

from desktop_app import secrets
from desktop_app.console import EXIT_DONE, say
from desktop_app.outputs.obs import OBS_PASSWORD
from engine.errors import UsageError


def keep_obs_password() -> int:
    """Ask for the password and keep it; an empty one forgets what was kept.

    Raises:
        SecretsError: there is no place that outlasts this command.
        UsageError: nothing was typed.
    """
    try:
        typed = getpass.getpass("Password of OBS: ") if sys.stdin.isatty() else sys.stdin.readline()
    except EOFError:
        raise UsageError(
            "no password was given", "type it, or an empty line to forget it"
        ) from None
    password = typed.rstrip("\r\n")
    if not password:
        secrets.delete(OBS_PASSWORD)
        say("No password of OBS is kept any more")
        return EXIT_DONE
    place = secrets.set(OBS_PASSWORD, password)
    if place == "memory":
        secrets.delete(OBS_PASSWORD)
        raise secrets.SecretsError(
            "there is no keyring here to keep the password in",
            f"set {secrets.variable(OBS_PASSWORD)}, or secrets_in_file in the settings",
        )
    say(f"Kept in the {place}")
    return EXIT_DONE
