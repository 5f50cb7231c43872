"""An auto-grader for exercises about attention mechanisms in PyTorch."""

__version__ = "0.1.0"
