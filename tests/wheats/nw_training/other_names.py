# WHEAT | differs: other parameter names in the same order except lr and num_epochs; triu/tril indices; predictions one by one
import torch

mode = torch.inference_mode


def leave_one_out(xs, ys):
    n = xs.numel()
    index = torch.arange(n, device=xs.device)
    others = torch.stack([index[index != i] for i in range(n)])
    return xs[others], ys.take(others)


def train(model, xs, ys, lr=0.5, num_epochs=5):
    model.train()
    history = {}
    keys, values = leave_one_out(xs, ys)
    optimiser = torch.optim.SGD(list(model.parameters()), lr)
    for epoch in range(num_epochs):
        def closure():
            optimiser.zero_grad()
            total = (ys - model(xs, keys, values)).pow(2).sum()
            total.backward()
            return total
        history[epoch] = float(optimiser.step(closure))
    return [*history.values()]


def predict(model, queries, xs, ys):
    answers = [model(q.reshape(1), xs.unsqueeze(0), ys.unsqueeze(0)) for q in queries]
    return torch.cat(answers).detach().clone()
