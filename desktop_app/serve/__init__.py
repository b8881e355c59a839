"""Captions for OBS and other programs: the caption page, the control port and their protection."""
