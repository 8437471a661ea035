"""The wire format: one module per section of docs/format.md, encode and decode side by side."""
