"""`weightzip version`, also as the option `--version`."""

from typing import Annotated

import typer

from weightzip.cli.options import JsonOption


def version(json: JsonOption = False) -> None:
    """Print the versions of the program and of the archive format, and what the codec uses of this CPU."""
    from importlib.metadata import version as read_version

    from weightzip.cli.output import print_json
    from weightzip.cli.streams import standard_output
    from weightzip.codec.backend import list_cpu_features
    from weightzip.codec.format.limits import FORMAT_VERSION

    facts = {
        "weightzip": read_version("weightzip"),
        "format": FORMAT_VERSION,
        "cpu_features": list_cpu_features(),
    }
    if json:
        print_json(facts)
    else:
        features = ", ".join(list_cpu_features()) or "none, scalar code"
        with standard_output() as stream:
            text = (
                f"weightzip {facts['weightzip']}, archive format {FORMAT_VERSION}, CPU features: {features}"
            )
            print(text, file=stream)


def _obey(asked: bool) -> None:
    if asked:
        version()
        raise typer.Exit


def take_options(
    asked: Annotated[
        bool,
        typer.Option("--version", callback=_obey, is_eager=True, help="Do what the verb version does."),
    ] = False,
) -> None:
    """Take the options that stand before any verb."""
