"""The sidecar: watches checkpoints, encodes them, keeps them in a store and brings them back."""
