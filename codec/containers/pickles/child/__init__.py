"""What runs in the child process that reads pickles: the standard library alone, no files, no network, bounded means.

Nothing here is imported by the parent in earnest; program.py is what the child starts with.
"""
