"""How long a candidate must be quiet depends on the file system unless it is configured."""

from weightzip.daemon.components import LOCAL_QUIET_SECONDS, NETWORK_QUIET_SECONDS, choose_quiet_seconds


def test_the_quiet_period_follows_the_file_system() -> None:
    assert choose_quiet_seconds(None, "ext4") == LOCAL_QUIET_SECONDS
    assert choose_quiet_seconds(None, "nfs4") == NETWORK_QUIET_SECONDS
    assert choose_quiet_seconds(3.0, "nfs4") == 3.0
