"""What can become of a file on a disk."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path


def damages(path: Path, *, rubbish: int = 100, share: int = 2) -> Iterator[None]:
    """Damage a file in one way after another; at the end it is whole again.

    Args:
        path: of the file.
        rubbish: how many times a word of rubbish takes the place of its content.
        share: what is left of it where it breaks off is the first of so many parts.
    """
    whole = path.read_bytes()
    for damage in (b"", b"rubbish" * rubbish, whole[: len(whole) // share], None):
        if damage is None:
            path.unlink()
        else:
            path.write_bytes(damage)
        yield
    path.write_bytes(whole)
