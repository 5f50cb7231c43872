"""The last step: a `Report` as JSON, and as text for people."""
