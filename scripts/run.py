#!/usr/bin/env python3
"""Set Captionglass up where that is not done yet, then start it with the arguments given.

    python3 scripts/run.py [captionglass arguments]

Standard library only. What it makes lies in .venv of this checkout and in the user's data folder.
"""

import sys

if sys.version_info < (3, 11):  # noqa: UP036 - started by hand, with whatever Python is there
    sys.stderr.write(
        "captionglass: Python {}.{} is too old: install Python 3.11 or newer and start this with"
        " it\n".format(*sys.version_info)
    )
    sys.exit(1)

import os
import signal
from typing import NoReturn

import setup_env

_RUNS_WITHOUT_MODEL = {"models", "devices", "doctor"}


def main(arguments: list[str]) -> NoReturn:
    try:
        python = setup_env.prepare()
        try:
            setup_env.prepare_models()
        except setup_env.SetupError:
            # It has been said why; what runs without a model runs all the same.
            if not runs_without_model(arguments):
                raise
    except setup_env.SetupError as error:
        sys.exit(setup_env.fail(error))
    except KeyboardInterrupt:
        setup_env.say("stopped while setting up; start it again to go on")
        sys.exit(130)
    start([str(python), "-P", "-m", "desktop_app", *arguments])


def runs_without_model(arguments: list[str]) -> bool:
    """Whether these arguments ask for something that captions nothing."""
    return bool(
        _RUNS_WITHOUT_MODEL.intersection(arguments[:1])
        or {"--help", "-h", "--version"}.intersection(arguments)
    )


def start(command: list[str]) -> NoReturn:
    """Become the program; where the system cannot do that, wait for it and pass its code on."""
    if sys.platform == "win32":
        import subprocess

        # Ctrl-C goes to the whole console: the program handles it, and we wait for its last words.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        sys.exit(subprocess.call(command, env=setup_env.environment()))
    os.execve(command[0], command, setup_env.environment())


if __name__ == "__main__":
    main(sys.argv[1:])
