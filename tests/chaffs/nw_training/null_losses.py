# CHAFF | misconception: null answer | TA: Nothing is trained and nothing predicted. | detectable by: outputs
import torch


def leave_one_out(x_train, y_train):
    n = len(x_train)
    return torch.zeros(n, n - 1), torch.zeros(n, n - 1)


def train(net, x_train, y_train, lr=0.5, num_epochs=5):
    return [0.0] * num_epochs


def predict(net, x_test, x_train, y_train):
    return torch.zeros_like(x_test)
