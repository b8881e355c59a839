"""A process that captions one recording in real time, alone.

Fresh for each recording, so that its memory is that of one stream and nobody waits beside it.

What it says on its standard output is described in ``peer_runner``; ``own_session`` says the same.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import tempfile
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.bench.metrics import Timed
from engine.errors import RecognizerError
from engine.types import CaptionUpdate, Word
from models import own_program

PEERS = ("moonshine-voice", "local-agreement")
"""What ``peer_runner`` knows."""

_START_LIMIT_S = 120.0
_SLOWEST = 6.0
"""Times the length of a recording after which a contender has hung."""


@dataclass(frozen=True, slots=True)
class Played:
    """One recording as one contender captioned it.

    Attributes:
        timeline: updates, each with the time at which a reader could see it.
        audio_s: seconds of sound.
        cpu_s: processor seconds of the process, loading the model left out.
        compute_s: seconds at work.
        lost_samples: samples it did not look at.
        peak_rss_mb: highest resident memory of the process, MiB; None where unknown.
        load_s: seconds the model took to load.
    """

    timeline: tuple[Timed, ...]
    audio_s: float
    cpu_s: float
    compute_s: float
    lost_samples: int = 0
    peak_rss_mb: float | None = None
    load_s: float | None = None


class Contender:
    """Starts the process when made; ``close`` ends it.

    Args:
        command: starts it.
        what: named in errors.

    Attributes:
        name: as it calls itself.

    Raises:
        RecognizerError: it does not start, or says that it cannot work.
    """

    def __init__(self, command: Sequence[str], what: str, env: Mapping[str, str]) -> None:
        self._what = what
        # A pipe that nobody empties would stop a process that says much.
        self._stderr = tempfile.TemporaryFile()  # noqa: SIM115 - as long as the process
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._stderr,
                env=dict(env),
                # Ctrl-C is for the bench, which ends its contenders itself.
                start_new_session=True,
            )
        except OSError as error:
            self._stderr.close()
            raise RecognizerError(
                f"{command[0]} cannot be started ({error.strerror})", "check the path"
            ) from error
        try:
            hello = self._read(_START_LIMIT_S)
        except BaseException:
            self.close()
            raise
        self.name = str(hello["name"])
        self._load_s: float | None = hello.get("load_s")

    def play(self, job: Mapping[str, Any], seconds: float) -> Played:
        """Have the recording captioned; once only, and takes as long as it lasts.

        Args:
            job: what the process is told.
            seconds: length of the recording.

        Raises:
            RecognizerError: it failed, ended or hung.
        """
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.write(json.dumps(job).encode() + b"\n")
            self._process.stdin.flush()
        answer = self._read(_START_LIMIT_S + _SLOWEST * seconds)
        return Played(
            timeline=tuple(timed(event) for event in answer["updates"]),
            audio_s=answer["audio_s"],
            cpu_s=answer["cpu_s"],
            compute_s=answer["compute_s"],
            lost_samples=answer["lost_samples"],
            peak_rss_mb=answer["peak_rss_mb"],
            load_s=answer.get("load_s", self._load_s),
        )

    def close(self) -> None:
        """End the process. May be called twice."""
        if self._process.poll() is None:
            self._process.kill()
        for stream in (self._process.stdin, self._process.stdout, self._stderr):
            if stream is not None:
                with contextlib.suppress(BrokenPipeError):
                    stream.close()
        self._process.wait()

    def _read(self, limit_s: float) -> dict[str, Any]:
        assert self._process.stdout is not None
        watchdog = threading.Timer(limit_s, self._process.kill)
        watchdog.name = f"captionglass-bench {self._what}"
        watchdog.start()
        try:
            line = self._process.stdout.readline()
        finally:
            watchdog.cancel()
            watchdog.join()
        if not line.endswith(b"\n"):
            raise RecognizerError(f"{self._what} ended without an answer", self._last_words())
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise RecognizerError(answer["error"], answer.get("remedy", ""))
        return answer

    def _last_words(self) -> str:
        self._stderr.seek(0)
        lines = self._stderr.read().decode("utf-8", "replace").split("\n")
        return next((line.strip()[:200] for line in reversed(lines) if line.strip()), "")


def own(model_id: str, profile: str, provider: str) -> Contender:
    """Captionglass itself at one profile.

    Raises:
        RecognizerError: it does not start.
    """
    module = own_program.command("engine.bench.own_session")
    options = ["--model", model_id, "--profile", profile, "--provider", provider]
    return Contender([*module, *options], profile, own_program.environment())


def peer(kind: str, python: str) -> Contender:
    """Another program.

    Args:
        kind: one of ``PEERS``.
        python: the interpreter it is installed for.

    Raises:
        RecognizerError: it is not installed there, or does not start.
    """
    # Without our packages: theirs are of other versions.
    env = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    script = Path(__file__).with_name("peer_runner.py")
    return Contender([python, str(script), kind], kind, env)


def timed(event: Mapping[str, Any]) -> Timed:
    """An update from its form in an events file."""
    return Timed(
        CaptionUpdate(
            lane=event["lane"],
            segment_id=event["segment"],
            revision=event["revision"],
            stable=event["stable"],
            unstable=event["unstable"],
            start=event["start"],
            end=event["end"],
            heard_at=0.0,
            is_final=event["final"],
            words=tuple(Word(*word) for word in event["words"]),
            correction=event["correction"],
        ),
        event["t"],
    )
