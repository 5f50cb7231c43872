# CHAFF | misconception: in_place | TA: `clamp_` changes the caller's tensor. | detectable by: mutation


def clip_values(X, low, high):
    result = X.clone().clamp(low, high)
    X.data.clamp_(low, high)
    return result
