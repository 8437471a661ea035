"""What the readers of containers raise among themselves: bytes that make no sense. It never leaves this folder."""


class Unreadable(ValueError):
    """The file is none of this format, damaged or hostile: a reader catches it and says that the file is not its own."""
