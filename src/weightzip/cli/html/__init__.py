"""A bench report as one HTML page that needs nothing beside itself: no script, no font, no network."""

from weightzip.cli.html.page import render_page

__all__ = ["render_page"]
