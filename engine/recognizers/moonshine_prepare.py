"""Writes the lean graphs beside the published weights, once for each model and arithmetic.

Run as ``python -m engine.recognizers.moonshine_prepare ENCODER DECODER FOLDER ARITHMETIC``: reading
the published files takes 150 MB, which a process of its own gives back.
"""

from __future__ import annotations

import logging
import subprocess
import sys
from pathlib import Path
from typing import cast

from engine.recognizers import moonshine_graph as graphs
from engine.recognizers.moonshine_layers import Arithmetic
from models import own_program
from models.whole import write_whole

log = logging.getLogger(__name__)

_VERSION = 3  # raise when the graphs change, so that older prepared files are left aside
PROBE = f"signed-probe.v{_VERSION}.onnx"
"""File name of ``moonshine_graph.signed_probe``."""

_PATIENCE_S = 120.0


def file_names(arithmetic: Arithmetic) -> tuple[str, str, str]:
    """Of the prepared front end, encoder and decoder."""
    parts = ("frontend", f"encoder-{arithmetic}", f"decoder-{arithmetic}")
    first, second, third = (f"{part}.v{_VERSION}.onnx" for part in parts)
    return first, second, third


def build(encoder: Path, decoder: Path, arithmetic: Arithmetic) -> tuple[bytes, ...]:
    """The three serialised graphs, in the order of ``file_names``.

    Args:
        encoder, decoder: the published ORT files.

    Raises:
        RecognizerError: they are not a Moonshine v1 model.
    """
    from engine.recognizers.moonshine_weights import PublishedGraph

    first, second = PublishedGraph(encoder), PublishedGraph(decoder)
    return (
        graphs.frontend(first),
        graphs.encoder(first, second, arithmetic=arithmetic),
        graphs.decoder(second, arithmetic=arithmetic),
    )


def prepare(
    encoder: Path, decoder: Path, folder: Path, arithmetic: Arithmetic
) -> tuple[bytes, ...]:
    """Build the graphs and keep them in ``folder``, where that can be written.

    Returns:
        The graphs, in the order of ``file_names``.

    Raises:
        RecognizerError: the published files are not a Moonshine v1 model.
    """
    names = file_names(arithmetic)
    command = [*own_program.command(__name__), str(encoder), str(decoder), str(folder)]
    try:
        subprocess.run(
            [*command, arithmetic],
            env=own_program.environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=_PATIENCE_S,
            check=True,
        )
        return tuple((folder / name).read_bytes() for name in names)
    except (OSError, subprocess.SubprocessError):
        log.debug("preparing in a process of its own failed; doing it here")
    blobs = build(encoder, decoder, arithmetic)
    keep(folder, dict(zip(names, blobs, strict=True)))
    return blobs


def keep(folder: Path, blobs: dict[str, bytes]) -> bool:
    """Write files into ``folder``, each whole or not at all.

    Returns:
        Whether they were written. A folder that cannot be written costs every start two seconds
        and nothing else.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, blob in blobs.items():
            write_whole(folder / name, blob)
        for old in folder.glob("*.onnx"):
            if f".v{_VERSION}." not in old.name:
                old.unlink(missing_ok=True)
    except OSError:
        return False
    return True


def main() -> int:
    """The command of the module's docstring."""
    encoder, decoder, folder, arithmetic = sys.argv[1:]
    kind = cast(Arithmetic, arithmetic)
    blobs = build(Path(encoder), Path(decoder), kind)
    written = keep(Path(folder), dict(zip(file_names(kind), blobs, strict=True)))
    return 0 if written else 1


if __name__ == "__main__":
    raise SystemExit(main())
