"""Files the application ships: the demo recording, icons, fonts, notices."""

from pathlib import Path

ASSETS = Path(__file__).parent
"""The folder itself, in a checkout and in the packaged application alike."""
