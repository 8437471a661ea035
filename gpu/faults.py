"""What the kernels find wrong with a payload, in the words of the native core. The bits are those of layout.cu."""

FAULTS = (
    "a state is below 2^16",
    "a rANS payload is too short for its exceptions",
    "a block has more exceptions than elements",
    "the byte after the exceptions is not zero",
    "the positions of the exceptions do not ascend",
    "an exception lies beyond its block",
    "a rANS payload ends within a word",
    "an exception stands where no escape was coded",
    "an escape has no exception",
    "a rANS payload has too few words",
    "a rANS payload has too many words",
    "a state does not end at 2^16",
)


def describe_faults(status: int) -> str:
    """Return what a status word that is not 0 says."""
    return ", ".join(text for bit, text in enumerate(FAULTS) if status >> bit & 1)
