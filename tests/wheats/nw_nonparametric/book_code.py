# WHEAT | differs: the text's own lines, put into functions, with its data and plots around them
import torch
import torch.nn.functional as F
from d2l import torch as d2l

n_train = 50
x_train, _ = torch.sort(torch.rand(n_train) * 5)


def f(x):
    return 2 * torch.sin(x) + x**0.8


y_train = f(x_train) + torch.normal(0.0, 0.5, (n_train,))
x_test = torch.arange(0, 5, 0.1)
n_test = len(x_test)


def average_pooling(y_train, n_test):
    return torch.repeat_interleave(y_train.mean(), n_test)


def gaussian_pooling(x_test, x_train, y_train):
    n_train = x_train.shape[0]
    X_repeat = x_test.repeat_interleave(n_train).reshape((-1, n_train))
    attention_weights = F.softmax(-(X_repeat - x_train)**2 / 2, dim=1)
    y_hat = torch.matmul(attention_weights, y_train)
    return y_hat, attention_weights


y_hat, weights = gaussian_pooling(x_test, x_train, y_train)
d2l.show_heatmaps(weights.unsqueeze(0).unsqueeze(0), xlabel='Sorted training inputs', ylabel='Sorted testing inputs')
