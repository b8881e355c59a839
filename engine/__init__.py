"""Sound in, captions out. Knows nothing of windows, settings files or the command line."""

import os

# Before onnxruntime can be loaded: unasked, it keeps a number for this computer in the user's cache
# and tells its makers what runs. Nothing is sent from here, whatever the user's variables say.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"
