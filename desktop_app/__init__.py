"""The application: the only room that knows Qt, the keyring, settings and the command line."""

__version__ = "0.2.0"
