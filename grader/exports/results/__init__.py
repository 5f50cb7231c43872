"""One module per target that takes the result of a single submission; each defines `FORMAT`."""
