"""What authors of an assignment are spared: the notebook made from the stubs, the files of a new exercise."""
