"""Arguments and options that several verbs share."""

from pathlib import Path
from typing import Annotated

import typer

from weightzip.codec.recipes.level import Level

# `readable=False` below: whether a file may be read is found out by reading it, or the exit code would be that of a
# misuse.
BaseOption = Annotated[
    list[Path] | None,
    typer.Option(
        "--base",
        metavar="PATH",
        help="The predecessor: a file or an archive of it; for a directory, a directory (paired by relative path). "
        "May be given again for what an archived predecessor leans on.",
        show_default=False,
        readable=False,
    ),
]
BesideOption = Annotated[
    list[Path] | None,
    typer.Option(
        "--beside",
        metavar="FILE",
        help="A file that was saved together with this one, or an archive of it; may be given several times.",
        show_default=False,
        readable=False,
    ),
]
LevelOption = Annotated[
    Level,
    typer.Option(
        "--level",
        "-l",
        help="[bold]fast[/bold] takes the least time, [bold]max[/bold] makes the smallest archives. Archives of all "
        "levels are restored alike.",
    ),
]
ThreadsOption = Annotated[
    int, typer.Option("--threads", "-t", min=0, max=1024, help="Threads to use; 0 uses all cores.")
]
ForceOption = Annotated[
    bool, typer.Option("--force", "-f", help="Replace what is there; of a directory, all that is in it.")
]
QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing but errors and warnings.")]
JsonOption = Annotated[
    bool,
    typer.Option(
        "--json", help="Print one JSON object a result on the standard output, and errors as JSON, too."
    ),
]
