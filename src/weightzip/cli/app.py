"""Builds the application out of its verbs and turns errors into messages and exit codes.

A new verb is one module with a function and one line below. Modules of verbs import only typer and the standard
library at their top, so that --help stays fast; everything else is imported inside the function.
"""

import sys

import typer

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
from weightzip.cli.verify import verify
from weightzip.cli.version import version
from weightzip.errors import WeightzipError

app = typer.Typer(
    name="weightzip",
    help="Lossless compression, safe keeping and fast restore of training checkpoints.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command()(compress)
app.command()(decompress)
app.command()(verify)
app.command()(inspect)
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
    try:
        app()
    except WeightzipError as error:
        print(f"weightzip: {error}", file=sys.stderr)
        if error.hint:
            print(f"  hint: {error.hint}", file=sys.stderr)
        sys.exit(error.exit_code)
    except BrokenPipeError:
        sys.stderr.close()  # the interpreter would complain about the closed pipe once more
        sys.exit(1)
    except OSError as error:
        print(f"weightzip: {error.filename or 'error'}: {error.strerror or error}", file=sys.stderr)
        sys.exit(1)
