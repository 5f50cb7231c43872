"""Judging a class on other machines, through a Dask scheduler: `grade batch --cluster ADDRESS`.

The batch process reads submissions, scores runs and writes everything; only judging travels. What is sent is
JSON: the loaded submission and what the worker must agree to (`agreement`). A Dask worker judges with the
same sandbox as here (`worker`), in a judge host that one thread owns (`desk`). `judges` stands where
`grader.classroom.judges.Judges` does, and is the only module here, beside `worker`, that imports Dask.
"""
