"""The ``captionglass`` command: ``python -m desktop_app`` and the installed script alike."""

from __future__ import annotations

import sys

from models import own_program


def main() -> None:
    """Run the command line and leave with its exit code."""
    if own_program.run_if_asked(sys.argv[1:]):
        return
    from desktop_app.cli.main import run

    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
