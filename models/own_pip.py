"""The pip that the packaged application brings, for computers without a Python.

Run as ``--run-module models.own_pip``; its arguments are pip's.
"""

from __future__ import annotations

from models.wheels import GUARDED

if __name__ == "__main__":
    # The same few lines that guard any other pip.
    exec(GUARDED)
