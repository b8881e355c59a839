"""Where captions go. A sink's name is its file's name; a new sink is one new file."""
