# WHEAT | differs: rows put together by cat, a generator of losses, a step on .data, lists for tuples
import torch
from torch import Tensor, nn


def _without(row: Tensor, i: int) -> Tensor:
    return torch.cat((row[:i], row[i + 1 :]))


def leave_one_out(x_train: Tensor, y_train: Tensor) -> list[Tensor]:
    return [torch.stack([_without(row, i) for i in range(len(row))]) for row in (x_train, y_train)]


def _epochs(net: nn.Module, x: Tensor, y: Tensor, lr: float, count: int):
    keys, values = leave_one_out(x, y)
    for _ in range(count):
        net.zero_grad(set_to_none=True)
        loss = nn.functional.mse_loss(net(x, keys, values), y, reduction="sum")
        loss.backward()
        for parameter in net.parameters():
            parameter.data.sub_(parameter.grad, alpha=lr)
        yield loss.item()


def train(net: nn.Module, x_train: Tensor, y_train: Tensor, lr: float = 0.5, num_epochs: int = 5):
    return list(_epochs(net, x_train, y_train, lr, num_epochs))


def predict(net: nn.Module, x_test: Tensor, x_train: Tensor, y_train: Tensor) -> Tensor:
    with torch.no_grad():
        return net(x_test, x_train.expand(len(x_test), -1), y_train.expand(len(x_test), -1))
