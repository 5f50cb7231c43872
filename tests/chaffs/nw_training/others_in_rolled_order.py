# CHAFF | misconception: others_in_rolled_order | TA: Each row begins behind its own point and wraps around. Keep the order of the training points. | detectable by: outputs
import torch


def leave_one_out(x_train, y_train):
    def others(points):
        return torch.stack([torch.cat((points[i + 1 :], points[:i])) for i in range(len(points))])

    return others(x_train), others(y_train)


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
