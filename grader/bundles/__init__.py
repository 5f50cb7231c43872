"""What an instructor uploads so that a platform runs the grader: one module per platform, found by name."""
