"""Descriptions of weights: what exists, where it comes from, whether the copy on disk is whole."""
