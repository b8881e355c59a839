"""Models side by side: size, memory, speed and word errors, each run in a process of its own.

    python -m engine.bench.compare     one model's part, asked on standard input

Every model hears whole stretches of speech and decodes each once: what is compared is the models,
not how early captions are shown.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from engine import gpu
from engine.bench import machine
from engine.bench.metrics import normalised, score
from engine.bench.offline import transcribe
from engine.bench.recordings import Recording, sound
from engine.errors import CaptionglassError, RecognizerError, UsageError
from engine.recognizers.base import load
from engine.stats import peak_rss_mb
from engine.types import SAMPLE_RATE
from engine.vad import SileroVad
from models import catalogue, own_program
from models.languages import MANY, UNKNOWN, fit
from models.spec import ModelFiles
from models.store import ModelStore

_PATIENCE_S = 120.0
_SLOWEST = 60.0
_BY_CHARACTER = ("zh", "yue", "ja", "th")
"""Languages that are written without spaces: their errors are counted in characters."""


@dataclass(frozen=True, slots=True)
class Row:
    """One model on one provider.

    Attributes:
        model: id.
        base: id of the model it was derived from, or its own.
        precision: what its weights were made; empty as published.
        provider: what really ran.
        disk_mb: the model's files and what is derived from them, 10**6 bytes.
        load_s: until it could be asked.
        peak_rss_mb: of its process.
        gpu_mb: GPU memory that the process added; None without a GPU.
        rtf: seconds of work for each second of sound.
        cores: processor seconds for each second of sound.
        wer: errors in percent of the words; characters in Chinese and its like.
        wer_change: points against the float model of the same base, or the base itself.
    """

    model: str
    base: str
    precision: str
    provider: str
    disk_mb: float
    load_s: float
    peak_rss_mb: float
    gpu_mb: float | None
    rtf: float
    cores: float
    wer: float
    wer_change: float | None = None


@dataclass(frozen=True, slots=True)
class Comparison:
    """What was found.

    Attributes:
        rows: one for each model and provider.
        seconds: of sound.
        recordings: how many.
        machine: on what.
        load: of the machine before and after.
    """

    rows: tuple[Row, ...]
    seconds: float
    recordings: int
    machine: dict[str, str | int]
    load: tuple[float, ...]

    def as_json(self) -> dict[str, Any]:
        """For a file."""
        return {
            "rows": [asdict(row) for row in self.rows],
            "audio_s": round(self.seconds, 1),
            "recordings": self.recordings,
            "machine": self.machine,
            "load": list(self.load),
        }

    def lines(self) -> list[str]:
        """A table that is also Markdown."""
        head = (
            "| model | provider | disk MB | peak RSS MB | GPU MB | load s | RTF | cores | WER % "
            "| change |"
        )
        lines = [head, "|---|---|---|---|---|---|---|---|---|---|"]
        for row in self.rows:
            gpu_mb = "-" if row.gpu_mb is None else f"{row.gpu_mb:.0f}"
            change = "-" if row.wer_change is None else f"{row.wer_change:+.1f}"
            lines.append(
                f"| {row.model} | {row.provider} | {row.disk_mb:.0f} | {row.peak_rss_mb:.0f} "
                f"| {gpu_mb} | {row.load_s:.1f} | {row.rtf:.3f} | {row.cores:.2f} "
                f"| {row.wer:.1f} | {change} |"
            )
        cpu, cores = self.machine["cpu"], self.machine["cores"]
        lines.append("")
        lines.append(
            f"{self.recordings} recordings, {self.seconds:.0f} s, on {cores} cores of {cpu}; "
            f"load {', '.join(f'{load:.1f}' for load in self.load) or 'unknown'}"
        )
        return lines


def compare(
    models: Sequence[ModelFiles],
    vad: ModelFiles,
    recordings: Sequence[Recording],
    tell: Callable[[str], None],
) -> Comparison:
    """Run every model over the recordings; on the GPU too where there is one.

    Args:
        models: installed.
        vad: the voice activity detector.
        recordings: those whose words are known, in languages all models caption, are taken.
        tell: told what runs.

    Raises:
        UsageError: there is no recording that all the models caption.
        RecognizerError: a model failed.
    """
    taken = [
        recording
        for recording in recordings
        if recording.transcript and all(_captions(model, recording) for model in models)
    ]
    if not taken:
        raise UsageError(
            "no recording is in a language that all these models caption",
            "compare models of one language, on recordings whose words the manifest knows",
        )
    before = machine.load_average()[:1]
    rows = []
    for model in models:
        for provider in ("cpu", "cuda") if gpu.read() is not None else ("cpu",):
            tell(f"{model.spec.id} on {provider}")
            found = _run(model, vad, provider, taken)
            if provider == "cuda" and found.provider == "cpu":
                tell(f"{model.spec.id} does not run on the GPU here")
                continue
            rows.append(found)
    seconds = sum(recording.seconds for recording in taken)
    load_now = machine.load_average()[:1]
    return Comparison(
        tuple(_against_float(rows)), seconds, len(taken), machine.describe(), (*before, *load_now)
    )


def _captions(model: ModelFiles, recording: Recording) -> bool:
    languages = model.spec.languages
    return (
        not recording.language
        or bool(fit(recording.language, languages))
        or set(languages) <= {UNKNOWN, MANY}
    )


def _run(model: ModelFiles, vad: ModelFiles, provider: str, recordings: Sequence[Recording]) -> Row:
    spec = model.spec
    job = {
        "model": spec.id,
        "vad": vad.spec.id,
        "root": str(_root(model)),
        "provider": provider,
        "recordings": [{"path": str(each.path), "language": each.language} for each in recordings],
    }
    seconds = sum(recording.seconds for recording in recordings)
    try:
        done = subprocess.run(
            own_program.command("engine.bench.compare"),
            input=json.dumps(job).encode(),
            capture_output=True,
            check=False,
            env=own_program.environment(),
            timeout=_PATIENCE_S + _SLOWEST * seconds,
        )
    except subprocess.TimeoutExpired as error:
        raise RecognizerError(
            f"{spec.id} is too slow to be compared here", "take fewer seconds"
        ) from error
    try:
        answer = json.loads(done.stdout)
    except ValueError:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise RecognizerError(
            f"{spec.id} ended without an answer ({said[-1][:160] if said else done.returncode})"
        ) from None
    if "error" in answer:
        raise RecognizerError(answer["error"], answer["remedy"])
    errors = words = 0
    for recording, text in zip(recordings, answer["texts"], strict=True):
        found = score(
            _units(recording.transcript or "", recording.language),
            _units(text, recording.language),
        )
        errors, words = errors + found.errors, words + found.words
    return Row(
        model=spec.id,
        base=spec.derived_from or spec.id,
        precision=spec.precision,
        provider=answer["provider"],
        disk_mb=_disk_bytes(model) / 1e6,
        load_s=answer["load_s"],
        peak_rss_mb=answer["peak_rss_mb"],
        gpu_mb=answer["gpu_mb"],
        rtf=answer["compute_s"] / seconds,
        cores=answer["cpu_s"] / seconds,
        wer=100 * errors / max(1, words),
    )


def _root(model: ModelFiles) -> Path:
    return (model.writable_folder or model.folder).parent


def _disk_bytes(model: ModelFiles) -> int:
    derived = [path for path in model.prepared.rglob("*") if path.is_file()]
    return model.spec.size + sum(path.stat().st_size for path in derived)


def _units(text: str, language: str) -> list[str]:
    words = normalised(text)
    if language.partition("-")[0] in _BY_CHARACTER:
        return [character for word in words for character in word]
    return words


def _against_float(rows: Sequence[Row]) -> list[Row]:
    """The same rows, each with its distance from the float model of its base."""
    found = []
    for row in rows:
        family = [
            other for other in rows if (other.base, other.provider) == (row.base, row.provider)
        ]
        best = next((other for other in family if other.precision == "float"), None) or next(
            (other for other in family if not other.precision), None
        )
        change = None if best is None or best is row else row.wer - best.wer
        found.append(replace(row, wer_change=change))
    return found


# -- the process --------------------------------------------------------------------------------


def _measure(job: dict[str, Any]) -> dict[str, Any]:
    root = Path(job["root"])
    known, store = catalogue.load(None, root), ModelStore(root)
    files = store.files(known.get(job["model"]))
    vad = store.files(known.get(job["vad"]))
    recordings = [
        (sound(Recording(Path(each["path"]), 0.0)), each["language"]) for each in job["recordings"]
    ]
    gpu_before = gpu.read()
    started = time.monotonic()
    recognizer = load(files, job["provider"])
    load_s = time.monotonic() - started
    # What is prepared at first use, and the pages of the weights, are no part of the speed.
    transcribe(recordings[0][0][: 2 * SAMPLE_RATE], recognizer, SileroVad(vad))
    texts = []
    started, cpu = time.monotonic(), time.process_time()
    for samples, _language in recordings:
        texts.append(transcribe(samples, recognizer, SileroVad(vad)))
    compute_s, cpu_s = time.monotonic() - started, time.process_time() - cpu
    gpu_after = gpu.read()
    used = (
        None
        if gpu_before is None or gpu_after is None
        else max(0, gpu_after.memory_used - gpu_before.memory_used) / 1e6
    )
    return {
        "texts": texts,
        "provider": recognizer.provider,
        "load_s": load_s,
        "compute_s": compute_s,
        "cpu_s": cpu_s,
        "peak_rss_mb": peak_rss_mb(),
        "gpu_mb": used,
    }


def main() -> None:
    """See the top of the file."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    answer: dict[str, Any]
    try:
        answer = _measure(json.loads(sys.stdin.read()))
    except CaptionglassError as error:
        answer = {"error": error.message, "remedy": error.remedy}
    with contextlib.suppress(BrokenPipeError):
        answers.write(json.dumps(answer))
        answers.flush()


if __name__ == "__main__":
    main()
