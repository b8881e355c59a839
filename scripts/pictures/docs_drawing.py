"""Shapes of the pictures that the documents show, in the colours of the windows.

A picture follows whether the reader's page is dark or light, and has a ground of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from xml.sax.saxutils import escape

_LIGHT = {
    "page": "#f4f5f8", "card": "#ffffff", "edge": "#c9ced8", "text": "#181c24", "dim": "#4c5462",
    "accent": "#1f62d6", "good": "#16804a", "warm": "#a65f00", "soft": "#dfe8fa",
}  # fmt: skip
_DARK = {
    "page": "#16181e", "card": "#1f222a", "edge": "#444a57", "text": "#eceff4", "dim": "#acb4c2",
    "accent": "#6ea8fe", "good": "#62c98c", "warm": "#f5b84a", "soft": "#26324a",
}  # fmt: skip


def _rules(colours: Mapping[str, str]) -> str:
    return "".join(
        f".f-{name}{{fill:{colour}}}.s-{name}{{stroke:{colour}}}"
        for name, colour in colours.items()
    )


_STYLE = (
    "text{font-family:Inter,'Segoe UI',Helvetica,Arial,sans-serif;font-size:13px}"
    ".b{font-weight:600}.t{font-size:12px}.big{font-size:17px}"
    "path{fill:none;stroke-width:1.6}rect{stroke-width:1.3}"
    f"{_rules(_LIGHT)}@media(prefers-color-scheme:dark){{{_rules(_DARK)}}}"
)


class Drawing:
    """Shapes on one picture; later ones lie above."""

    def __init__(self, width: int, height: int, title: str) -> None:
        self._size = width, height
        self._title = title
        self._shapes: list[str] = []
        self.box(0, 0, width, height, fill="page", edge="page", radius=14)

    def box(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        *,
        fill: str = "card",
        edge: str = "edge",
        radius: float = 9,
        dashed: bool = False,
    ) -> None:
        dashes = ' stroke-dasharray="5 4"' if dashed else ""
        self._shapes.append(
            f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="{radius:g}" '
            f'class="f-{fill} s-{edge}"{dashes}/>'
        )

    def text(
        self, x: float, y: float, text: str, kind: str = "text", style: str = "", anchor: str = ""
    ) -> None:
        where = f' text-anchor="{anchor}"' if anchor else ""
        self._shapes.append(
            f'<text x="{x:g}" y="{y:g}" class="f-{kind} {style}"{where}>{escape(text)}</text>'
        )

    def card(self, x: float, y: float, width: float, title: str, *lines: str, edge: str = "edge",
             dashed: bool = False) -> None:  # fmt: skip
        """A box with a title and lines of smaller text."""
        self.box(x, y, width, 32 + 17 * len(lines), edge=edge, dashed=dashed)
        self.text(x + 12, y + 21, title, style="b")
        for number, line in enumerate(lines):
            self.text(x + 12, y + 40 + 17 * number, line, "dim", "t")

    def arrow(self, *points: tuple[float, float], colour: str = "dim", both: bool = False) -> None:
        """A line through the points, with a head at its end, or at both."""
        way = " L".join(f"{x:g} {y:g}" for x, y in points)
        start = f' marker-start="url(#h-{colour})"' if both else ""
        self._shapes.append(
            f'<path d="M{way}" class="s-{colour}" marker-end="url(#h-{colour})"{start}/>'
        )

    def line(self, x: float, y: float, to_x: float, to_y: float, colour: str = "edge") -> None:
        self._shapes.append(f'<path d="M{x:g} {y:g} L{to_x:g} {to_y:g}" class="s-{colour}"/>')

    def caption(self, x: float, y: float, stable: str, unstable: str) -> None:
        """A line as a reader sees it."""
        self._shapes.append(
            f'<text x="{x:g}" y="{y:g}" class="big f-text">{stable}'
            f'<tspan class="f-dim">{unstable}</tspan></text>'
        )

    def svg(self) -> str:
        """The file."""
        width, height = self._size
        heads = "".join(
            f'<marker id="h-{name}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" '
            f'markerHeight="7" orient="auto-start-reverse">'
            f'<polygon points="0,0 8,4 0,8" class="f-{name}"/></marker>'
            for name in ("dim", "accent", "good", "warm")
        )
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
            f'width="{width}" height="{height}" role="img">\n'
            f"<title>{escape(self._title)}</title>\n<style>{_STYLE}</style>\n"
            f"<defs>{heads}</defs>\n" + "\n".join(self._shapes) + "\n</svg>\n"
        )
