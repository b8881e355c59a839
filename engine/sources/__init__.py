"""Where sound comes from. A source's name is its file's name; a new source is one new file."""
