"""Pickles that attack whoever reads them: some run code, some want more memory or time than there is.

Those that run code make a directory, whose path the caller gives: an unpickler that trusts them shows that they do.
"""

import os
import pickle
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass

END = b"."


@dataclass(frozen=True)
class _MakeDirectory:
    path: str

    def __reduce__(self) -> tuple[Callable[..., object], tuple[str]]:
        return os.mkdir, (self.path,)


def list_running_pickles(path: str) -> Mapping[str, bytes]:
    """Return pickles by name, each of which makes a directory at `path` when it is loaded with trust."""
    mkdir, to = _name("os", "mkdir"), _say(path)
    called = _call(mkdir, to)
    code = _say(f"__import__('os').mkdir({path!r})")
    the_os = _call(_name("builtins", "__import__"), _say("os"))
    partial = _call(_name("functools", "partial"), mkdir, to)
    mapped = _name("builtins", "map") + _tuple(mkdir, _tuple(to))
    bodies = {
        "reduce": called,
        "reduce, old names": b"cposix\nmkdir\n" + _tuple(to) + b"R",
        "inst": b"(" + to + b"ios\nmkdir\n",
        "obj": b"(" + mkdir + to + b"o",
        "eval": _call(_name("builtins", "eval"), code),
        "exec": _call(_name("builtins", "exec"), code),
        "stack global": _say("os") + _say("mkdir") + b"\x93" + _tuple(to) + b"R",
        "stack global with dots": b"\x80\x04"
        + _say("shutil")
        + _say("os.mkdir")
        + b"\x93"
        + _tuple(to)
        + b"R",
        "global with dots": b"\x80\x04" + _call(_name("shutil", "os.mkdir"), to),
        "getattr": _call(_call(_name("builtins", "getattr"), the_os, _say("mkdir")), to),
        "attrgetter": _call(_call(_call(_name("operator", "attrgetter"), _say("mkdir")), the_os), to),
        "methodcaller": _call(_call(_name("operator", "methodcaller"), _say("mkdir"), to), the_os),
        "partial": _call(partial),
        "newobj": _call(_name("builtins", "list"), mapped + b"\x81"),
        "newobj_ex": _call(_name("builtins", "tuple"), mapped + b"}\x92"),
        "subprocess": _call(_name("subprocess", "check_call"), _tuple(_say("mkdir"), to)),
        "os.system": _call(_name("os", "system"), _say(f"mkdir {path}")),
        "timeit": _call(_name("timeit", "timeit"), code, _say("pass"), b"ctime\nperf_counter\n", b"K\x01"),
        "pickle in a pickle": _call(_name("pickle", "loads"), _say_bytes(called + END)),
        "build on a dictionary": _call(_name("collections", "OrderedDict"))
        + b"}"
        + _say("append")
        + mkdir
        + b"sb"
        b"(" + to + b"e",
        "build with slots": _name("argparse", "Namespace")
        + b")\x81N}"
        + _say("append")
        + mkdir
        + b"s\x86b("
        + to
        + b"e",
        "default factory": _call(
            _name("operator", "getitem"), _call(_name("collections", "defaultdict"), partial), b"K\x00"
        ),
        "extends itself": _call(_name("collections", "deque")) + b"(" + called + b"e",
        "storage of a tensor": _call(
            _name("torch._utils", "_rebuild_tensor_v2"), called, b"K\x00", b")", b")"
        ),
        "persistent id": called + b"Q",
        "key of a dictionary": b"}" + called + b"K\x00s",
        "member of a set": b"\x8f(" + called + b"\x90",
        "memo": called + b"\x94h\x00",
        "in a frame": b"\x80\x04\x95" + struct.pack("<Q", len(called)) + called,
        "discarded": called + b"0N",
    }
    by_protocol = {
        f"protocol {protocol}": pickle.dumps(_MakeDirectory(path), protocol) for protocol in range(6)
    }
    return by_protocol | {name: body + END for name, body in bodies.items()}


def list_bombs() -> Mapping[str, bytes]:
    """Return pickles by name that want far more memory, time or stack than they are long."""
    function = _name("x", "y")
    ten_thousand = b"](" + b"".join(b"J" + struct.pack("<I", number) for number in range(10_000)) + b"e"
    group = b"}" + _say("params") + ten_thousand + b"s\x94"
    bodies = {
        "memo at 2^31": b"Nr" + struct.pack("<I", 0x7FFF_FFFF),
        "memo in text": b"Np2147483646\n",
        "bytes of 2^40": b"\x8e" + struct.pack("<Q", 1 << 40),
        "text of 2^40": b"\x8d" + struct.pack("<Q", 1 << 40),
        "bytearray of 2^62": b"\x96" + struct.pack("<Q", 1 << 62),
        "frame of 2^63": b"\x95" + struct.pack("<Q", 1 << 63),
        "long of 2^31": b"\x8b" + struct.pack("<I", 0x7FFF_FFFF),
        "long of negative size": b"\x8b" + struct.pack("<i", -1),
        "bytearray of 2^31": _call(_name("builtins", "bytearray"), b"J\xff\xff\xff\x7f"),
        "range of 2^31": _call(
            _name("builtins", "list"), _call(_name("builtins", "range"), b"J\xff\xff\xff\x7f")
        ),
        "laughs": b"]\x94" + b"".join(b"](" + bytes([0x68, level]) * 10 + b"e\x94" for level in range(64)),
        "deep lists": b"]" * 200_000 + b"a" * 199_999,
        "deep tuples as a key": b"})" + b"\x85" * 1_000_000 + b"K\x00s",
        "deep calls": function * 100_000 + b")R" + b"\x85R" * 99_999,
        "deep states": (function + b")R") * 50_000 + b"b" * 49_999,
        "list in itself": b"]\x94h\x00a",
        "object as its own state": function + b")\x81\x94h\x00b",
        "dictionary in itself": b"}\x94K\x00h\x00s",
        "groups of the same parameters": b"}"
        + _say("param_groups")
        + b"]("
        + group
        + b"h\x00" * 10_000
        + b"es",
        "states that are shared": ten_thousand + b"\x85\x94](" + (function + b")Rh\x00b") * 10_000 + b"e",
        "arguments that are shared": ten_thousand + b"\x85\x94](" + (function + b"h\x00R") * 10_000 + b"e",
        "marks": b"(" * 5_000_000,
        "integer of a million digits": b"I" + b"9" * 1_000_000 + b"\n",
        "classes": b"".join(b"cm\nc%d\n0" % number for number in range(50_000)) + b"N",
    }
    return {name: body + END for name, body in bodies.items()}


def list_nonsense() -> Mapping[str, bytes]:
    """Return bytes by name that are no pickle, or one that refers to what there is not."""
    return {
        "empty": b"",
        "no end": b"\x80\x02}",
        "text": b"once upon a time",
        "protocol 99": b"\x80\x63N.",
        "extension 1": b"\x80\x02\x82\x01" + END,
        "extension 4": b"\x80\x02\x84\x01\x00\x00\x00" + END,
        "memo that is empty": b"h\x05" + END,
        "no mark": b"t" + END,
        "buffer out of band": b"\x80\x05\x97" + END,
        "number is called": b"K\x01)R" + END,
        "list is a key": b"}]K\x00s" + END,
        "storage without a key": b"(X\x07\x00\x00\x00storagectorch\nFloatStorage\nNNNtQ" + END,
    }


def _name(module: str, name: str) -> bytes:
    return f"c{module}\n{name}\n".encode()


def _say(text: str) -> bytes:
    return b"X" + struct.pack("<I", len(text.encode())) + text.encode()


def _say_bytes(data: bytes) -> bytes:
    return b"B" + struct.pack("<I", len(data)) + data


def _tuple(*items: bytes) -> bytes:
    return b"(" + b"".join(items) + b"t"


def _call(function: bytes, *args: bytes) -> bytes:
    return function + _tuple(*args) + b"R"
