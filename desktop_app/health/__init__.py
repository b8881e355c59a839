"""Whether the program is well, and what it tells about itself: doctor, report, self-test, log."""
