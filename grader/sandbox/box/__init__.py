"""Code that runs beside student code. It imports nothing of the grader, and nothing secret is in it.

In the template process this package is imported as top-level `box`; on the trusted side, as
`grader.sandbox.box` (only `wire` and constants are used there).
"""
