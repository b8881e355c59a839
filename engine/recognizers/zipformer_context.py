"""Words that shall be heard: an automaton over tokens that a beam search is helped along by.

Each step along a phrase earns its share at once; a path that leaves the phrase gives back what it
earned, one that completes it keeps it. The automaton is that of Aho and Corasick (1975): where a
phrase fails, the longest beginning of another that has been said counts.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field


@dataclass(slots=True, eq=False)
class Node:
    """A place in the phrases.

    Attributes:
        token_score: earned by the step here.
        score: earned from the root to here.
        output: earned for the phrases that end here.
        is_end: a phrase ends here.
        next: by token.
        fail: where to go on when no step fits.
        suffix: the longest other phrase that ends here too, or None.
    """

    token_score: float = 0.0
    score: float = 0.0
    output: float = 0.0
    is_end: bool = False
    next: dict[int, Node] = field(default_factory=dict)
    fail: Node | None = None
    suffix: Node | None = None


class ContextGraph:
    """Phrases to be favoured."""

    def __init__(self, phrases: Iterable[tuple[Sequence[int], float]]) -> None:
        """Args:
        phrases: tokens of each, and what a token of it earns (natural logarithm).
        """
        self.root = Node()
        self.root.fail = self.root
        for tokens, score in phrases:
            self._add(tokens, score)
        self._link()

    def step(self, node: Node, token: int) -> tuple[float, Node]:
        """One token more.

        Args:
            node: where the path stands.
            token: what it says.

        Returns:
            What that earns (or takes back), and where the path stands then.
        """
        if token in node.next:
            after = node.next[token]
            earned = after.token_score
        else:
            after = self._fall(node, token)
            earned = after.score - node.score
        if not after.output:
            return earned, after
        # A phrase is complete: what it earned is kept, and counting begins anew.
        ended = after if after.is_end else after.suffix
        whole = after.score if ended is None else ended.score
        return earned + whole - after.score, self.root

    def _add(self, tokens: Sequence[int], score: float) -> None:
        node = self.root
        for place, token in enumerate(tokens):
            is_last = place == len(tokens) - 1
            child = node.next.setdefault(token, Node())
            child.token_score = max(child.token_score, score)
            child.score = node.score + child.token_score
            child.is_end = child.is_end or is_last
            child.output = child.score if child.is_end else 0.0
            node = child

    def _fall(self, node: Node, token: int) -> Node:
        while node is not self.root and token not in node.next:
            assert node.fail is not None
            node = node.fail
        return node.next.get(token, self.root)

    def _link(self) -> None:
        waiting: deque[Node] = deque()
        for child in self.root.next.values():
            child.fail = self.root
            waiting.append(child)
        while waiting:
            node = waiting.popleft()
            for token, child in node.next.items():
                assert node.fail is not None
                child.fail = self._fall(node.fail, token)
                ended: Node | None = child.fail
                while ended is not None and not ended.is_end:
                    ended = None if ended is self.root else ended.fail
                child.suffix = ended
                child.output += ended.output if ended else 0.0
                waiting.append(child)
