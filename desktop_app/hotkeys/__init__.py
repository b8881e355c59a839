"""Keys that work whichever program has the focus: what each does, and the ways systems offer."""
