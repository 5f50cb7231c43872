# WHEAT | differs: clears the gradients behind the step; drops the diagonal by a strided view
import torch


def _drop_diagonal(square):
    n = square.shape[0]
    return square.flatten()[1:].view(n - 1, n + 1)[:, :-1].reshape(n, n - 1)


def leave_one_out(x_train, y_train):
    n = len(x_train)
    return _drop_diagonal(x_train.repeat(n, 1)), _drop_diagonal(y_train.repeat(n, 1))


def train(net, x_train, y_train, lr=0.5, num_epochs=5):
    keys, values = leave_one_out(x_train, y_train)
    losses = []
    while len(losses) < num_epochs:
        errors = net(x_train, keys, values) - y_train
        loss = errors @ errors
        loss.backward()
        with torch.no_grad():
            for p in net.parameters():
                p.add_(p.grad, alpha=-lr)
                p.grad = None
        losses.append(round(loss.item(), 12))
    return losses


@torch.no_grad()
def predict(net, x_test, x_train, y_train):
    net.eval()
    ones = torch.ones_like(x_test).unsqueeze(1)
    return net(x_test, ones * x_train, ones * y_train)
