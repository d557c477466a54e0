"""Which of the other learners are installed."""
import importlib


def installed(name):
    try:
        return getattr(importlib.import_module(name), "__version__", "unknown")
    except ImportError:
        return None
