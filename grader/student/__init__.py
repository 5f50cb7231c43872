"""The trusted handle to a worker: inside a check, a student's code looks like ordinary PyTorch."""
