"""What the host prepares for the kernels: block groups that were read up to their payloads, and launches of them."""
