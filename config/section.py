"""The base of every section: immutable, and a key it does not know is an error."""

from pydantic import BaseModel, ConfigDict


class Section(BaseModel):
    """One section of the configuration file; each subclass lives in its own file."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, validate_default=False, use_attribute_docstrings=True
    )
