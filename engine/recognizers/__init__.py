"""Model families. A family's name is its file's name; a new family is one new file."""
