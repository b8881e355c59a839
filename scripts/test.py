#!/usr/bin/env python3
"""Set up, then run everything that has to hold: the static checks, then all tests.

    python3 scripts/test.py                       what .ci/run runs
    python3 scripts/test.py tests/unit -k ring    only pytest, with these arguments

Standard library only. No screen, sound card or GPU is needed: tests start their own Xvfb and
their own sound server.
"""

import sys

if sys.version_info < (3, 11):  # noqa: UP036 - started by hand, with whatever Python is there
    sys.exit("scripts/test.py: Python 3.11 or newer is needed")

import subprocess

import checks
import setup_env


def main(arguments: list[str]) -> int:
    try:
        python = setup_env.prepare(tests=True)
        setup_env.prepare_models("whisper-tiny.en", "whisper-base", "rnnoise", "deepfilternet3")
    except setup_env.SetupError as error:
        return setup_env.fail(error)
    passed = bool(arguments) or checks.run(python, checks.STATIC)
    tests = subprocess.run(
        [python, "-m", "pytest", *arguments],
        cwd=setup_env.ROOT,
        env=setup_env.environment(),
        stdin=subprocess.DEVNULL,
        check=False,
    )
    return tests.returncode or (0 if passed else 1)


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
