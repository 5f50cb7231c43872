"""Sends the grades of a class to an LMS by its own interface: Canvas' REST, and LTI 1.3 grade services.

Nothing is sent unless asked for. What was sent stands in a ledger beside the batch, so that a second run,
also of one that was killed, sends only what changed. Tokens and keys never reach a message, a file or a judge.
"""
