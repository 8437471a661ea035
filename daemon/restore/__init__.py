"""From a store back to a disk: plan, fetch into a bounded cache, decode, prove, publish, fall back."""
