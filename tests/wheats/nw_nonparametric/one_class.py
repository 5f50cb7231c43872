# WHEAT | differs: both functions are methods of an object; log-sum-exp
import torch


class Pooling:
    def average(self, y_train, n_test):
        return y_train.mean(0, keepdim=True).expand(n_test)

    def gaussian(self, x_test, x_train, y_train):
        scores = -((x_test[:, None] - x_train[None]) ** 2) / 2
        weights = (scores - scores.logsumexp(1, keepdim=True)).exp()
        return torch.mv(weights, y_train), weights


_pooling = Pooling()
average_pooling, gaussian_pooling = _pooling.average, _pooling.gaussian
