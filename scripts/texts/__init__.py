"""What the product says in its windows, found in its source, for ``scripts/translations.py``."""
