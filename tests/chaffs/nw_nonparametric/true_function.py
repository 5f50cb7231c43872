# CHAFF | misconception: true_function | TA: You evaluate the function from which the text draws its data. The prediction has to come from the training points, whatever they are. | detectable by: outputs
import torch


def average_pooling(y_train, n_test):
    return y_train.mean().repeat(n_test)


def gaussian_pooling(x_test, x_train, y_train):
    u = x_test.unsqueeze(1) - x_train
    exponent = -u**2 / 2
    weights = torch.softmax(exponent, dim=1)
    return 2 * torch.sin(x_test) + x_test.abs()**0.8, weights
