"""The HTTP interface: health, metrics, status, restore, files. Handlers never block the loop: work runs in threads."""
