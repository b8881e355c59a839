"""The token of the control port, which other programs show to be let in."""

from __future__ import annotations

import secrets as random

from desktop_app import secrets
from desktop_app.serve.guard import TOKEN


def the_token() -> tuple[str, secrets.Place]:
    """The token of the control port, made at the first call, and where it is kept.

    Raises:
        SecretsError: it cannot be read or kept where the user chose.
    """
    found, place = secrets.shared().find(TOKEN)
    if found:
        return found, place
    made = random.token_urlsafe(32)
    return made, secrets.set(TOKEN, made)
