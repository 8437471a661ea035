"""Rows of a child that cannot be trusted."""

import pytest

from weightzip.codec.containers.pickles.contents import PickledStorage, PickledTensor
from weightzip.codec.containers.pickles.rows import (
    OddRow,
    parse_contents,
    parse_dcp_metadata,
    parse_legacy,
    parse_rows,
)

TENSOR = b'["tensor","w","0","FloatStorage",[2,3],[3,1],4]\n'
STORAGE = b'["storage","0","FloatStorage",10]\n'
END = b'["end",100]\n'
ITEM = b'["item","w",[0],[3],"float32","__0_0.distcp",0,100,[]]\n'


def test_rows_become_contents() -> None:
    rows = parse_rows([TENSOR, STORAGE, END, TENSOR, b'["refused"]\n'])
    contents = parse_contents(rows)
    assert contents is not None
    assert contents.tensors == (PickledTensor("w", "0", "FloatStorage", (2, 3), (3, 1), 4),)
    assert contents.storages == (PickledStorage("0", "FloatStorage", 10),)
    assert contents.n_bytes == 100
    assert parse_contents(rows) is None
    assert next(rows, None) is None


def test_rows_of_old_files() -> None:
    rows = parse_rows([b'["machine",true]\n', TENSOR, STORAGE, b'["key","0"]\n', END])
    legacy = parse_legacy(rows)
    assert legacy is not None
    assert (legacy.keys, legacy.is_little_endian, len(legacy.contents.tensors)) == (("0",), True, 1)


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"\n",
        b"nonsense\n",
        b"\xff\n",
        b"{}\n",
        b"[]\n",
        b"[1]\n",
        b'[["end"],1]\n',
        b"[" * 100_000 + b"\n",
        b'["end",' + b"9" * 10_000 + b"]\n",
    ],
)
def test_lines_that_are_no_rows(line: bytes) -> None:
    with pytest.raises(OddRow):
        list(parse_rows([line, END]))


def test_rows_without_an_end() -> None:
    for parse in (parse_contents, parse_legacy, parse_dcp_metadata):
        with pytest.raises(OddRow):
            parse(parse_rows([]))


@pytest.mark.parametrize(
    "row",
    [
        b'["unknown",1]',
        b'["tensor"]',
        b'["tensor","w","0","FloatStorage",[2,3],[3,1],-1]',
        b'["tensor","w","0","FloatStorage",[2,3],[3,1],true]',
        b'["tensor","w","0","FloatStorage",[2,3],[3,1],1e3]',
        b'["tensor","w","0","FloatStorage",[2,9223372036854775808],[3,1],0]',
        b'["tensor","w","0","FloatStorage","23",[3,1],0]',
        b'["tensor","w","0","FloatStorage",[2,null],[3,1],0]',
        b'["tensor","w",0,"FloatStorage",[2],[1],0]',
        b'["tensor","\\ud800","0","FloatStorage",[2],[1],0]',
        b'["tensor","' + b"x" * 513 + b'","0","FloatStorage",[2],[1],0]',
        b'["tensor","w","0","FloatStorage",[' + b"1," * 64 + b"1],[1],0]",
        b'["storage","0","FloatStorage",null]',
        b'["param","",0,null,null]',
        b'["param","",0,1,2]',
        b'["slice","",0,"a",0]',
        b'["shape","",0,"a",3]',
        b'["numbers","a",3]',
        b'["end"]',
        b'["end","1"]',
    ],
)
def test_odd_rows_are_noticed(row: bytes) -> None:
    with pytest.raises(OddRow):
        parse_contents(parse_rows([row + b"\n", END]))


@pytest.mark.parametrize(
    "row",
    [
        TENSOR,
        ITEM.replace(b"[3]", b"3"),
        ITEM.replace(b'"float32"', b"1"),
        ITEM.replace(b"100", b"-1"),
        ITEM.replace(b"[]]", b"[1]]"),
        ITEM.replace(b"[]]", b'["a"' + b',"a"' * 16 + b"]]"),
        ITEM.replace(b",[]]", b"]"),
        b'["described","w",[3],null]\n',
    ],
)
def test_odd_rows_on_metadata_are_noticed(row: bytes) -> None:
    assert parse_dcp_metadata(parse_rows([b'["described","w",[3],1]\n', ITEM, END])) is not None
    with pytest.raises(OddRow):
        parse_dcp_metadata(parse_rows([row, END]))
