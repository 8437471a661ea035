"""Builds the application out of its verbs and turns errors into messages and exit codes.

A new verb is one module with a function and one line below. Modules of verbs import only typer and the standard
library at their top, so that --help stays fast; everything else is imported inside the function.
"""

import errno
import signal
import sys
from types import FrameType
from typing import NoReturn

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
    help="Lossless compression, safe keeping and fast restore of training checkpoints.",
    no_args_is_help=True,
    add_completion=False,
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
    try:
        app()
    except WeightzipError as error:
        _complain(str(error), error.hint)
        sys.exit(error.exit_code)
    except BrokenPipeError:
        sys.stderr.close()  # the interpreter would complain about the closed pipe once more
        sys.exit(1)
    except OSError as error:
        is_full = error.errno in _FULL
        _complain(f"{error.filename or 'error'}: {error.strerror or error}", DiskFull.hint if is_full else "")
        sys.exit(DiskFull.exit_code if is_full else 1)
    except MemoryError:
        _complain("not enough memory", "")
        sys.exit(1)


def _leave(number: int, frame: FrameType | None) -> NoReturn:
    """End as the signal would, but by way of an exception: so temporary files are removed."""
    sys.exit(128 + number)


def _complain(message: str, hint: str) -> None:
    print(f"weightzip: {escape_controls(message, keep=chr(10))}", file=sys.stderr)
    if hint:
        print(f"  hint: {hint}", file=sys.stderr)
