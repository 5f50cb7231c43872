# CHAFF | misconception: wrong_device | TA: Something is created on or moved to the CPU. Create tensors with `device=x_train.device`, and leave `.cpu()` and NumPy out. | detectable by: device
import torch


def leave_one_out(x_train, y_train):
    n = len(x_train)
    keys, values = torch.zeros(n, n - 1, dtype=x_train.dtype), torch.zeros(n, n - 1, dtype=x_train.dtype)
    for i in range(n):
        keys[i] = torch.cat((x_train[:i], x_train[i + 1 :]))
        values[i] = torch.cat((y_train[:i], y_train[i + 1 :]))
    return keys, values


def train(net, x_train, y_train, lr=0.5, num_epochs=5):
    keys, values = leave_one_out(x_train, y_train)
    trainer = torch.optim.SGD(net.parameters(), lr=lr)
    losses = []
    for _ in range(num_epochs):
        trainer.zero_grad()
        loss = ((net(x_train, keys, values) - y_train) ** 2).sum()
        loss.backward()
        trainer.step()
        losses.append(loss.item())
    return losses


def predict(net, x_test, x_train, y_train):
    n = len(x_test)
    with torch.no_grad():
        return net(x_test, x_train.repeat(n, 1), y_train.repeat(n, 1))
