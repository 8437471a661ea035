"""The root of the configuration: one field a section. Loading it from file and environment is load.py's work."""

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict

from weightzip.config.cache import CacheSettings
from weightzip.config.encode import EncodeSettings
from weightzip.config.limits import LimitsSettings
from weightzip.config.log import LogSettings
from weightzip.config.restore import RestoreSettings
from weightzip.config.retention import RetentionSettings
from weightzip.config.server import ServerSettings
from weightzip.config.shutdown import ShutdownSettings
from weightzip.config.source import SourceSettings
from weightzip.config.state import StateSettings
from weightzip.config.store import StoreSettings

ENV_PREFIX = "WEIGHTZIP_"
ENV_DELIMITER = "__"


class Settings(BaseSettings):
    """Everything the daemon can be told. The defaults written in the sections are the only ones."""

    model_config = SettingsConfigDict(
        env_prefix=ENV_PREFIX,
        env_nested_delimiter=ENV_DELIMITER,
        extra="forbid",
        frozen=True,
    )

    source: SourceSettings
    store: StoreSettings
    state: StateSettings = Field(default_factory=StateSettings)
    encode: EncodeSettings = Field(default_factory=EncodeSettings)
    retention: RetentionSettings = Field(default_factory=RetentionSettings)
    restore: RestoreSettings = Field(default_factory=RestoreSettings)
    cache: CacheSettings = Field(default_factory=CacheSettings)
    shutdown: ShutdownSettings = Field(default_factory=ShutdownSettings)
    server: ServerSettings = Field(default_factory=ServerSettings)
    limits: LimitsSettings = Field(default_factory=LimitsSettings)
    log: LogSettings = Field(default_factory=LogSettings)
