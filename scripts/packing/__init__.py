"""The parts of ``scripts/package.py``: what goes in, how it is tried, what it is packed into."""
