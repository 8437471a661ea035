# Pattern file for nanobind's stub generator: what the generated stub must import.
weightzip.codec._native.__prefix__:
    from collections.abc import Sequence

    from typing_extensions import Buffer
