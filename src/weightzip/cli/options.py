"""Options that several verbs share."""

from pathlib import Path
from typing import Annotated

import typer

from weightzip.codec.recipes.level import Level

BaseOption = Annotated[
    Path | None,
    typer.Option(
        "--base",
        metavar="PATH",
        help="The predecessor: a file or an archive of it; for a directory, a directory (paired by relative path).",
        show_default=False,
    ),
]
BesideOption = Annotated[
    list[Path] | None,
    typer.Option(
        "--beside",
        metavar="FILE",
        help="A file that was saved together with this one, or an archive of it; may be given several times.",
        show_default=False,
    ),
]
LevelOption = Annotated[
    Level, typer.Option("--level", "-l", help="How much time fewer bytes may cost; restoring needs no level.")
]
ThreadsOption = Annotated[
    int, typer.Option("--threads", "-t", min=0, max=1024, help="Threads to use; 0 uses all cores.")
]
ForceOption = Annotated[bool, typer.Option("--force", "-f", help="Replace what is there.")]
JsonOption = Annotated[
    bool, typer.Option("--json", help="Print one JSON object a result on the standard output.")
]
