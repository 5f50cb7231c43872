# CHAFF | misconception: only_the_parameter_w | TA: You ask the net for an attribute that it need not have, such as `w`. `net.parameters()` gives all parameters, whatever their names. | detectable by: other nets
import torch


def leave_one_out(x_train, y_train):
    n = len(x_train)
    off = ~torch.eye(n, dtype=torch.bool, device=x_train.device)
    return x_train.repeat(n, 1)[off].reshape(n, -1), y_train.repeat(n, 1)[off].reshape(n, -1)


def train(net, x_train, y_train, lr=0.5, num_epochs=5):
    keys, values = leave_one_out(x_train, y_train)
    losses = []
    for _ in range(num_epochs):
        loss = ((net(x_train, keys, values) - y_train) ** 2).sum()
        loss.backward()
        net.w.data -= lr * net.w.grad
        net.w.grad = None
        losses.append(float(loss))
    return losses


def predict(net, x_test, x_train, y_train):
    n = len(x_test)
    with torch.no_grad():
        return net(x_test, x_train.repeat(n, 1), y_train.repeat(n, 1))
