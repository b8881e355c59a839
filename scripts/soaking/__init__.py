"""The parts of ``scripts/soak.py``: its clock, what is played, what happens, what has to hold."""
