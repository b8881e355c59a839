"""The program's icon in the forms that Windows and macOS want, drawn by Qt from the one drawing."""

from __future__ import annotations

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_SIZE = {".ico": 256, ".icns": 512, ".png": 256}


def make(folder: Path) -> str:
    """Write the form of the system it runs on.

    Returns:
        The file.
    """
    path = folder / f"captionglass{'.icns' if sys.platform == 'darwin' else '.ico'}"
    folder.mkdir(parents=True, exist_ok=True)
    draw(path)
    return str(path)


def draw(path: Path) -> None:
    """Draw the icon into a file; its ending says in which form.

    Raises:
        RuntimeError: Qt cannot write that form here.
    """
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from PySide6.QtCore import Qt
    from PySide6.QtGui import QGuiApplication, QImage, QPainter
    from PySide6.QtSvg import QSvgRenderer

    application = QGuiApplication.instance() or QGuiApplication([])
    size = _SIZE[path.suffix]
    image = QImage(size, size, QImage.Format.Format_ARGB32)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    QSvgRenderer(str(ROOT / "assets" / "icon.svg")).render(painter)
    painter.end()
    if not image.save(str(path)):
        raise RuntimeError(f"Qt cannot write {path.name}")
    del application
