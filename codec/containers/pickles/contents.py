"""What is learned from a pickle, as plain values: the tensors it describes, and facts that give tensors their names."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class PickledStorage:
    """A storage that a pickle refers to: `n_elements` of `dtype`, as torch names it ("FloatStorage")."""

    key: str
    dtype: str
    n_elements: int


@dataclass(frozen=True, slots=True)
class PickledTensor:
    """A view of a storage. `name` is dotted, empty for the object itself; offset and strides are in elements.

    `dtype` is that of the tensor ("float8_e4m3fn") or the type of its storage: find_torch_dtype knows both.
    """

    name: str
    storage_key: str
    dtype: str
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int


@dataclass(frozen=True, slots=True)
class ParamGroupEntry:
    """One parameter of an optimizer's group: its state is `<path>.state.<param>`, with `path` empty at the top."""

    path: str
    group: int
    param: int | str
    name: str | None


@dataclass(frozen=True, slots=True)
class SliceMapping:
    """DeepSpeed's `param_slice_mappings`: elements [start, start + n_elements) of a group's flat partition are of `name`."""

    path: str
    group: int
    name: str
    start: int
    n_elements: int


@dataclass(frozen=True, slots=True)
class ParamShape:
    """DeepSpeed's `param_shapes`, in their order; `path` is where they stand."""

    path: str
    group: int
    name: str
    shape: tuple[int, ...]


@dataclass(frozen=True)
class PickleFacts:
    """What a pickle says of names. `numbers` has group_paddings, partition_count and the like by dotted path."""

    param_groups: tuple[ParamGroupEntry, ...] = ()
    slice_mappings: tuple[SliceMapping, ...] = ()
    param_shapes: tuple[ParamShape, ...] = ()
    numbers: dict[str, tuple[int, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class PickleContents:
    """The contents of a torch pickle. `n_bytes` is where it ended."""

    tensors: tuple[PickledTensor, ...]
    storages: tuple[PickledStorage, ...]
    facts: PickleFacts
    n_bytes: int


@dataclass(frozen=True)
class LegacyContents:
    """The contents of the pickles in front of a torch file of old, with the keys of its storages in their order."""

    contents: PickleContents
    keys: tuple[str, ...]
    is_little_endian: bool


@dataclass(frozen=True, slots=True)
class DcpItem:
    """One entry of DCP's storage_data. Offset, shape and dtype of the fragment are None for what is no tensor."""

    fqn: str
    fragment_offset: tuple[int, ...] | None
    fragment_shape: tuple[int, ...] | None
    dtype: str | None
    file_name: str
    offset: int
    n_bytes: int
    transforms: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DcpTensor:
    """One tensor of DCP's state_dict_metadata, over all files."""

    shape: tuple[int, ...]
    n_fragments: int


@dataclass(frozen=True)
class DcpMetadata:
    """The contents of a `.metadata` file; tensors are by fqn."""

    items: tuple[DcpItem, ...]
    tensors: dict[str, DcpTensor]
