"""The command line. One module a verb; what a verb needs is imported when it runs."""

from weightzip.cli.app import main

__all__ = ["main"]
