# CHAFF | misconception: rate_divided_by_points | TA: Your losses are sums, but your steps are those of a mean: n times too small. The loss that you differentiate is the sum. | detectable by: outputs
import torch


def leave_one_out(x_train, y_train):
    n = len(x_train)
    off = ~torch.eye(n, dtype=torch.bool, device=x_train.device)
    return x_train.repeat(n, 1)[off].reshape(n, -1), y_train.repeat(n, 1)[off].reshape(n, -1)


def train(net, x_train, y_train, lr=0.5, num_epochs=5):
    keys, values = leave_one_out(x_train, y_train)
    trainer = torch.optim.SGD(net.parameters(), lr=lr)
    losses = []
    for _ in range(num_epochs):
        trainer.zero_grad()
        loss = ((net(x_train, keys, values) - y_train) ** 2).sum()
        (loss / len(y_train)).backward()
        trainer.step()
        losses.append(loss.item())
    return losses


def predict(net, x_test, x_train, y_train):
    n = len(x_test)
    with torch.no_grad():
        return net(x_test, x_train.repeat(n, 1), y_train.repeat(n, 1))
