"""Sound in, captions out. Knows nothing of windows, settings files or the command line."""
