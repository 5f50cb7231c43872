"""Sends the grades of a class to an LMS by its own interface: Canvas' REST, and LTI 1.3 grade services.

Nothing is sent unless asked for. What was sent stands in a ledger beside the batch: a second run sends only
what changed, also after one that was killed. Tokens and keys reach no message, no file and no judge.
"""
