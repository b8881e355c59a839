"""The shipped recording, played aloud while it is captioned: what there is without a microphone."""

from __future__ import annotations

import logging
import threading
from pathlib import Path
from typing import Any

from assets import ASSETS
from engine.ring import SampleRing
from engine.sources.file import FileSource

_log = logging.getLogger(__name__)

DEMO = ASSETS / "demo.wav"
_BLOCK_S = 0.05


class DemoSource(FileSource):
    """A recording at the pace it was spoken, and heard where there is something to hear it with.

    Args:
        path: the recording.

    Raises:
        AudioFileError: it cannot be read.
    """

    def __init__(self, path: Path = DEMO) -> None:
        super().__init__(path, realtime=True, lane="demo")
        self.description = "the demo recording"
        self._path = path
        self._silence = threading.Event()
        self._player: threading.Thread | None = None

    def start(self, ring: SampleRing) -> None:
        """Begin to read and to play; returns at once."""
        super().start(ring)
        if self._player is None:
            self._player = threading.Thread(target=self._play, name="demo player", daemon=True)
            self._player.start()

    def stop(self) -> None:
        """Stop both. May be called twice."""
        self._silence.set()
        if self._player is not None:
            self._player.join()
        super().stop()

    def _play(self) -> None:
        try:
            self._play_through(_sounddevice())
        except Exception as error:  # noqa: BLE001 - whatever the sound system says, captions go on
            _log.info("the demo is not heard: %s", error)

    def _play_through(self, sounddevice: Any) -> None:
        import soundfile

        with (
            soundfile.SoundFile(self._path) as file,
            sounddevice.OutputStream(file.samplerate, channels=file.channels) as speaker,
        ):
            frames = round(file.samplerate * _BLOCK_S)
            while not self._silence.is_set():
                block = file.read(frames, dtype="float32", always_2d=True)
                if not len(block):
                    return
                speaker.write(block)


def _sounddevice() -> Any:
    import sounddevice

    return sounddevice
