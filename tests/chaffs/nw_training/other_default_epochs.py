# CHAFF | misconception: other_default_epochs | TA: Without `num_epochs` you train for 10 epochs. Its default is 5. | detectable by: outputs, signature
import torch


def leave_one_out(x_train, y_train):
    n = len(x_train)
    off = ~torch.eye(n, dtype=torch.bool, device=x_train.device)
    return x_train.repeat(n, 1)[off].reshape(n, -1), y_train.repeat(n, 1)[off].reshape(n, -1)


def train(net, x_train, y_train, lr=0.5, num_epochs=10):
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
