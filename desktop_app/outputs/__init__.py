"""Where captions go beside the window: files, OBS, Redis. No Qt."""
