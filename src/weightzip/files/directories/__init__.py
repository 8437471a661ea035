"""Directories of files and directories of archives, handled as wholes: their files may lean on each other."""
