"""What was said, kept: in memory for the transcript window, and on disk as it goes."""
