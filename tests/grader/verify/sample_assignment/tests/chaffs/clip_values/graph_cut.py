# CHAFF | misconception: graph_cut | TA: `.detach()` stops the gradient. | detectable by: gradients


def clip_values(X, low, high):
    return X.detach().clamp(low, high)
