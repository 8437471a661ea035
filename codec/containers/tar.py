"""Uncompressed tar files (`.nemo`): what their members hold is for the other containers to say.

If several members hold tensors, each name begins with the path of its member. A tar in a tar is glue.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace

from weightzip.codec.containers.claim import settle_claims
from weightzip.codec.containers.surroundings import Surroundings
from weightzip.codec.containers.tar_directory import Member, list_members, may_be_tar
from weightzip.codec.containers.unreadable import Unreadable
from weightzip.codec.containers.window_source import WindowSource
from weightzip.codec.format.layout import ContainerKind, Layout, TensorRange
from weightzip.codec.source import ByteSource

# Configurations and words are smaller. And pickles are read in processes, which a hostile file shall not start by the thousand.
_MIN_MEMBER_BYTES = 4096
_MAX_MEMBERS_READ = 256

ReadMember = Callable[[ByteSource, Surroundings], Layout]


def read_tar_layout(source: ByteSource, read_member: ReadMember) -> Layout | None:
    """Return the layout of a tar file, None if it is none that is whole. `read_member` knows the other containers."""
    if not may_be_tar(source):
        return None
    try:
        members = list_members(source)
    except Unreadable:
        return None
    large = [member for member in members if member.n_bytes >= _MIN_MEMBER_BYTES][:_MAX_MEMBERS_READ]
    by_path = {member.path: member for member in members}
    found: list[tuple[Member, tuple[TensorRange, ...]]] = []
    for member in large:
        around = _MemberSurroundings(source, by_path, member.path)
        tensors = read_member(_open(source, member), around).tensors
        if tensors:
            found.append((member, tensors))
    claims = [
        replace(
            tensor,
            name=tensor.name if len(found) == 1 else f"{member.path}/{tensor.name}",
            offset=member.offset + tensor.offset,
        )
        for member, tensors in found
        for tensor in tensors
    ]
    return Layout(ContainerKind.TAR, source.size_bytes, settle_claims(claims, source.size_bytes))


class _MemberSurroundings:
    """The members in the directory of one: Megatron's checkpoints in a tar have their metadata there."""

    def __init__(self, source: ByteSource, by_path: Mapping[str, Member], path: str) -> None:
        self._source, self._by_path = source, by_path
        self._directory, separator, self.name = path.rpartition("/")
        self._directory += separator

    @contextmanager
    def open_file(self, name: str) -> Iterator[ByteSource | None]:
        member = self._by_path.get(self._directory + name) if "/" not in name else None
        yield None if member is None else _open(self._source, member)


def _open(source: ByteSource, member: Member) -> WindowSource:
    return WindowSource(source, member.offset, member.n_bytes)
