# WHEAT | differs: the text's own lines, with its net, animator and prints
import torch
from torch import nn
from d2l import torch as d2l


class NWKernelRegression(nn.Module):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.w = nn.Parameter(torch.rand((1,), requires_grad=True))

    def forward(self, queries, keys, values):
        queries = queries.repeat_interleave(keys.shape[1]).reshape((-1, keys.shape[1]))
        self.attention_weights = nn.functional.softmax(-((queries - keys) * self.w)**2 / 2, dim=1)
        return torch.bmm(self.attention_weights.unsqueeze(1), values.unsqueeze(-1)).reshape(-1)


def leave_one_out(x_train, y_train):
    n_train = len(x_train)
    X_tile = x_train.repeat((n_train, 1))
    Y_tile = y_train.repeat((n_train, 1))
    keys = X_tile[(1 - torch.eye(n_train)).type(torch.bool)].reshape((n_train, -1))
    values = Y_tile[(1 - torch.eye(n_train)).type(torch.bool)].reshape((n_train, -1))
    return keys, values


def train(net, x_train, y_train, lr=0.5, num_epochs=5):
    keys, values = leave_one_out(x_train, y_train)
    loss = nn.MSELoss(reduction='none')
    trainer = torch.optim.SGD(net.parameters(), lr=lr)
    animator = d2l.Animator(xlabel='epoch', ylabel='loss', xlim=[1, 5])
    losses = []
    for epoch in range(num_epochs):
        trainer.zero_grad()
        l = loss(net(x_train, keys, values), y_train)
        l.sum().backward()
        trainer.step()
        print(f'epoch {epoch + 1}, loss {float(l.sum()):.6f}')
        animator.add(epoch + 1, float(l.sum()))
        losses.append(float(l.sum()))
    return losses


def predict(net, x_test, x_train, y_train):
    n_test = len(x_test)
    keys = x_train.repeat((n_test, 1))
    values = y_train.repeat((n_test, 1))
    return net(x_test, keys, values).detach()
