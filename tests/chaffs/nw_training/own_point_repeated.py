# CHAFF | misconception: own_point_repeated | TA: Row i holds nothing but point i: you repeat every point along its row. Row i needs all points but that one. Compare what `repeat` and `repeat_interleave` do. | detectable by: outputs
import torch


def leave_one_out(x_train, y_train):
    m = len(x_train) - 1
    return x_train.repeat_interleave(m).reshape(-1, m), y_train.repeat_interleave(m).reshape(-1, m)


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
