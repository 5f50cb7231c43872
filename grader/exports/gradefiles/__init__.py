"""One module per target that takes the grades of a class; each defines `GRADEFILE`."""
