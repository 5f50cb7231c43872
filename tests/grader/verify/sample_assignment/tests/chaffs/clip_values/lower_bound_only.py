# CHAFF | misconception: lower_bound_only | TA: The upper bound plays no part. | detectable by: outputs


def clip_values(X, low, high):
    return X.clamp(min=low)
