"""The TA's pages: a class, its clusters, one submission, and what a person says over the grader."""
