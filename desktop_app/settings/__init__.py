"""What can be set: declared once, kept on disk, bundled in presets and styles. No Qt."""
