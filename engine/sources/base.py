"""What a source is.

A source owns whatever delivers the sound (a device callback, a reader thread) and writes it into
the ring it is given, in its own sample rate and channel count. The engine resamples.
"""

from __future__ import annotations

from typing import Protocol

from engine.ring import SampleRing


class Source(Protocol):
    """One origin of sound.

    Attributes:
        lane: the label its captions carry (``mic``, ``file``, ``stdin`` ...).
        description: for people: the device's or the file's name.
        sample_rate: Hz of what it writes; known after construction.
        channels: channel count of what it writes.
        live: True where sound arrives by a clock and cannot wait (a device, a paced file): the
            ring then overwrites what was not read in time, and counts it. False where the
            writer waits for the reader (a file read as fast as the engine goes).
    """

    lane: str
    description: str
    sample_rate: int
    channels: int
    live: bool

    def start(self, ring: SampleRing) -> None:
        """Begin to write into ``ring``; returns at once. Ends by ``ring.close()``, or
        ``ring.close(error)`` where the sound broke off.

        Raises:
            SourceError: the sound cannot be had.
        """

    def stop(self) -> None:
        """Stop writing and release the device; joins any thread of its own. May be called twice.
        Calls ``ring.close()`` if the source had not ended by itself."""
