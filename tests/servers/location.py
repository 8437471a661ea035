"""A place in an S3 server, as the code under test wants to be told about it."""

from dataclasses import dataclass
from typing import Any, NamedTuple


class S3Location(NamedTuple):
    """A URL prefix that no other test uses, and the fsspec options that reach it."""

    url: str
    storage_options: dict[str, Any]

    @property
    def environment(self) -> dict[str, str]:
        """Return the variables that let a child process reach the same place without options."""
        return {
            "AWS_ACCESS_KEY_ID": self.storage_options["key"],
            "AWS_SECRET_ACCESS_KEY": self.storage_options["secret"],
            "AWS_ENDPOINT_URL": self.storage_options["client_kwargs"]["endpoint_url"],
            "AWS_DEFAULT_REGION": self.storage_options["client_kwargs"]["region_name"],
        }


@dataclass(frozen=True)
class S3Account:
    """How to reach one S3 server."""

    endpoint_url: str
    access_key: str = "testkey"
    secret_key: str = "testsecret12345"
    region: str = "us-east-1"

    @property
    def storage_options(self) -> dict[str, Any]:
        """Return the fsspec options of this server; a new dictionary each time."""
        return {
            "key": self.access_key,
            "secret": self.secret_key,
            "client_kwargs": {"endpoint_url": self.endpoint_url, "region_name": self.region},
        }
