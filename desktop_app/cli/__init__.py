"""The command line: what can be asked, and with which options. The work is in ``commands``."""
