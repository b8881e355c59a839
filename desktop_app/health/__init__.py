"""What the program knows of its own state, and tells: checks, log, report."""
