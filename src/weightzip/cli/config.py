"""`weightzip config show|check|schema`."""

import typer

from weightzip.cli.daemon_options import ConfigOption, StoreOption, WatchOption, collect_flags

config_app = typer.Typer(help="Look at the daemon's configuration.", no_args_is_help=True)


@config_app.command()
def show(config: ConfigOption = None, watch: WatchOption = None, store: StoreOption = None) -> None:
    """Print the settings that hold, defaults included, secrets masked, as YAML."""
    from weightzip.config import load_settings
    from weightzip.config.show import settings_to_yaml

    print(settings_to_yaml(load_settings(config, collect_flags(watch, store))), end="")


@config_app.command()
def check(config: ConfigOption = None, watch: WatchOption = None, store: StoreOption = None) -> None:
    """Say what is wrong with the configuration; exit code 2 if something is."""
    from weightzip.cli.output import say
    from weightzip.config import load_settings
    from weightzip.config.show import mask_url
    from weightzip.daemon.places import choose_places

    settings = load_settings(config, collect_flags(watch, store))
    places = choose_places(settings)
    absent = "" if places.source.is_dir() else " (does not exist yet)"
    say(
        f"configuration is good: watches {places.source}{absent}, stores into {mask_url(settings.store.url)}, "
        f"state in {places.state}, spool in {places.spool}"
    )


@config_app.command()
def schema() -> None:
    """Print the JSON Schema of the configuration file."""
    import json

    from weightzip.config.show import settings_schema

    print(json.dumps(settings_schema(), indent=2))
