# WHEAT | differs: masked_softmax is an object with __call__
from dataclasses import dataclass

import torch


@dataclass(frozen=True)
class MaskedSoftmax:
    fill: float = -1e6
    axis: int = -1

    def __call__(self, scores, lengths):
        if lengths is not None:
            index = torch.arange(scores.shape[self.axis], device=scores.device)
            scores = scores.masked_fill(index >= lengths.reshape(len(scores), -1, 1), self.fill)
        return scores.softmax(self.axis)


masked_softmax = MaskedSoftmax()
