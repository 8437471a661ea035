"""Builds the application out of its verbs and turns errors into messages and exit codes.

A new verb is one module with a function and one line below. Modules of verbs import only typer and the standard
library at their top, so that --help stays fast; everything else is imported inside the function.
"""

import errno
import signal
import sys
import warnings
from types import FrameType
from typing import NoReturn, TextIO

import typer

from weightzip.cli.bench import bench
from weightzip.cli.compress import compress
from weightzip.cli.config import config_app
from weightzip.cli.decompress import decompress
from weightzip.cli.inspect import inspect
from weightzip.cli.list import list_checkpoints
from weightzip.cli.prune import prune
from weightzip.cli.restore import restore
from weightzip.cli.rm import rm
from weightzip.cli.run import run
from weightzip.cli.show import show
from weightzip.cli.status import status
from weightzip.cli.streams import escape_controls, prepare_streams
from weightzip.cli.verify import verify
from weightzip.cli.version import take_options, version
from weightzip.errors import DiskFull, WeightzipError

_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}

app = typer.Typer(
    name="weightzip",
    help="Lossless compression, safe keeping and fast restore of training checkpoints.\n\nThe words of messages are "
    "explained in docs/glossary.md, exit codes in docs/cli.md.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.callback()(take_options)
app.command()(compress)
app.command()(decompress)
app.command()(verify)
app.command()(inspect)
app.command()(bench)
app.command()(run)
app.command(name="list")(list_checkpoints)
app.command()(show)
app.command()(restore)
app.command()(rm)
app.command()(prune)
app.command()(status)
app.add_typer(config_app, name="config")
app.command()(version)


def main() -> None:
    """Run the command line; exit with the code of the error if there is one (docs/cli.md)."""
    prepare_streams()
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) == signal.SIG_DFL:  # nohup has it ignored
            signal.signal(number, _leave)
    warnings.showwarning = _show_warning
    try:
        app()
    except WeightzipError as error:
        _complain(error, error.hint, error.exit_code)
    except OSError as error:
        is_full = error.errno in _FULL
        _complain(
            OSError(f"{error.filename or 'error'}: {error.strerror or error}"),
            DiskFull.hint if is_full else "",
            DiskFull.exit_code if is_full else 1,
        )
    except MemoryError:
        _complain(MemoryError("not enough memory"), "", 1)


def _leave(number: int, frame: FrameType | None) -> NoReturn:
    """End as the signal would, but by way of an exception: so temporary files are removed."""
    sys.exit(128 + number)


def _complain(error: Exception, hint: str, exit_code: int) -> NoReturn:
    """Print an error, as JSON for whoever reads the results as JSON, and exit."""
    if "--json" in sys.argv[1:]:
        import json

        facts = {"error": type(error).__name__, "message": str(error), "hint": hint, "exit_code": exit_code}
        print(json.dumps(facts), file=sys.stderr)
    else:
        print(f"weightzip: {escape_controls(str(error), keep=chr(10))}", file=sys.stderr)
        if hint:
            print(f"  hint: {hint}", file=sys.stderr)
    sys.exit(exit_code)


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """Print a warning without the line of code that it came from."""
    print(f"weightzip: warning: {escape_controls(str(message))}", file=sys.stderr)
