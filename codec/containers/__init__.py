"""The files we read and rebuild exactly: each container turns bytes into a Layout, or says that it is not its own."""

from weightzip.codec.containers.detect import read_layout
from weightzip.codec.containers.surroundings import DirectorySurroundings, Surroundings

__all__ = ["DirectorySurroundings", "Surroundings", "read_layout"]
