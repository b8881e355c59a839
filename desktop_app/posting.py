"""From a thread of one's own to Qt's."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PySide6.QtCore import SignalInstance


def post(signal: SignalInstance, *values: object) -> bool:
    """Emit a signal of an object that may be gone by now: whoever had asked has left, and nobody
    waits for a sound server or a keyring that does not answer.

    Returns:
        Whether it was still there.
    """
    try:
        signal.emit(*values)
    except RuntimeError:  # so PySide says it
        return False
    return True
