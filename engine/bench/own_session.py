"""One profile on one recording in a process of its own: the real session, fed in real time.

    python -m engine.bench.own_session --model ID --profile NAME --provider NAME

Answers like ``peer_runner``: first who it is, then what became of ``{"path": FILE, "language":
CODE}`` on standard input.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from pathlib import Path
from typing import Any, get_args

from engine.config import EngineConfig, LatencyProfile, Provider
from engine.errors import CaptionglassError
from engine.session import Session
from engine.sinks.jsonl import event
from engine.sinks.memory import MemorySink
from engine.sources.file import FileSource
from engine.types import StreamHeader, StreamSummary
from models.catalogue import load
from models.store import ModelStore


class _Meter(MemorySink):
    """Keeps the captions; reads the processor time between the first sample and the last caption,
    which leaves out loading the model."""

    def __init__(self) -> None:
        super().__init__("bench")
        self.cpu_s = 0.0
        self.opened_at = 0.0

    def open(self, header: StreamHeader) -> None:
        """The model is loaded, the source about to start."""
        super().open(header)
        self.opened_at = time.monotonic()
        self.cpu_s = -time.process_time()

    def close(self, summary: StreamSummary) -> None:
        """Everything has been captioned."""
        self.cpu_s += time.process_time()
        super().close(summary)


def play(config: EngineConfig, path: Path) -> dict[str, Any]:
    """Caption one file in real time.

    Raises:
        CaptionglassError: the file or the model failed.
    """
    meter = _Meter()
    session = Session(config, [FileSource(path, realtime=True)], [meter])
    started = time.monotonic()
    session.start()
    session.wait()
    summary = session.stop()
    if session.error is not None:
        raise session.error
    return {
        "updates": [
            event(update, at) for update, at in zip(meter.updates, meter.times, strict=True)
        ],
        "audio_s": summary.audio_s,
        "cpu_s": meter.cpu_s,
        "compute_s": summary.compute_s,
        "lost_samples": summary.lost_samples,
        "peak_rss_mb": summary.peak_rss_mb,
        "load_s": meter.opened_at - started,
        "notices": [notice.code for notice in meter.notices],
    }


def main() -> None:
    """See the top of the file."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)

    def answer(content: dict[str, Any]) -> None:
        answers.write(json.dumps(content) + "\n")
        answers.flush()

    parser = argparse.ArgumentParser()
    parser.add_argument("--model", required=True)
    parser.add_argument("--profile", required=True)
    parser.add_argument("--provider", choices=get_args(Provider), default="auto")
    asked = parser.parse_args()
    catalogue, store = load(), ModelStore()
    try:
        model, vad = (
            store.files(catalogue.get(model_id)) for model_id in (asked.model, catalogue.vad)
        )
        profile = LatencyProfile.parse(asked.profile)
        answer({"name": profile.name})
        job = json.loads(sys.stdin.readline())
        config = EngineConfig(
            model=model,
            vad=vad,
            profile=profile,
            provider=asked.provider,
            language=job.get("language", ""),
        )
        answer(play(config, Path(job["path"])))
    except CaptionglassError as error:
        answer({"error": error.message, "remedy": error.remedy})


if __name__ == "__main__":
    main()
