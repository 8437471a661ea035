"""`weightzip run`."""

from typing import Annotated, Any

import typer

from weightzip.cli.daemon_options import ConfigOption, StoreOption, WatchOption, collect_flags


def run(
    config: ConfigOption = None,
    watch: WatchOption = None,
    store: StoreOption = None,
    once: Annotated[
        bool,
        typer.Option("--once", help="Store what is complete on disk, then end; 1 if something was given up."),
    ] = False,
) -> None:
    """Watch a checkpoint directory and keep every complete checkpoint in a store, until SIGTERM.

    [bold]Examples[/bold]

      weightzip run --watch /ckpt --store s3://bucket/run-7

      weightzip run --config /etc/weightzip/config.yaml

      weightzip run --watch out --store /mnt/backup/out --once
    """
    import os
    import sys

    from weightzip.config import load_settings
    from weightzip.daemon.log import collect_secrets, configure_logging
    from weightzip.daemon.service import run_daemon

    flags: dict[str, dict[str, Any]] = collect_flags(watch, store)
    settings = load_settings(config, flags)
    configure_logging(settings.log, collect_secrets(settings.store.options))
    ending = run_daemon(settings, once=once)
    exit_code = ending.error.exit_code if ending.error is not None else int(once and ending.n_given_up > 0)
    if ending.error is not None and ending.idle:
        raise ending.error
    sys.stderr.flush()
    if not ending.idle:
        # Threads are in the middle of work that the next start resumes; waiting for them would break the deadline.
        os._exit(exit_code)
    sys.exit(exit_code)
