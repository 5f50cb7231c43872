# WHEAT | differs: an exported notebook: cell comments, a training loop and shadowed names at top level
#!/usr/bin/env python
# coding: utf-8

# In[1]:


import math
import torch
from torch import nn
import matplotlib.pyplot as plt
from d2l import torch as d2l


# In[2]:


def masked_softmax(X, valid_lens):
    if valid_lens is None:
        return nn.functional.softmax(X, dim=-1)
    else:
        shape = X.shape
        if valid_lens.dim() == 1:
            valid_lens = torch.repeat_interleave(valid_lens, shape[1])
        else:
            valid_lens = valid_lens.reshape(-1)
        X = d2l.sequence_mask(X.reshape(-1, shape[-1]), valid_lens, value=-1e6)
        return nn.functional.softmax(X.reshape(shape), dim=-1)


# In[3]:


class DotProductAttention(nn.Module):
    def __init__(self, dropout, **kwargs):
        super(DotProductAttention, self).__init__(**kwargs)
        self.dropout = nn.Dropout(dropout)

    def forward(self, queries, keys, values, valid_lens=None):
        d = queries.shape[-1]
        scores = torch.bmm(queries, keys.transpose(1,2)) / math.sqrt(d)
        self.attention_weights = masked_softmax(scores, valid_lens)
        return torch.bmm(self.dropout(self.attention_weights), values)


# In[4]:


queries, keys = torch.normal(0, 1, (2, 1, 2)), torch.ones((2, 10, 2))
values = torch.arange(40, dtype=torch.float32).reshape(1, 10, 4).repeat(2, 1, 1)
head = nn.Linear(4, 1)
sgd = torch.optim.SGD(head.parameters(), lr=0.01)
attention = DotProductAttention(dropout=0.5)
for epoch in range(3):
    sgd.zero_grad()
    loss = head(attention(queries, keys, values, torch.tensor([2, 6]))).square().mean()
    loss.backward()
    sgd.step()
    print(epoch, loss.item())


# In[5]:


plt.plot([1, 2, 3]); plt.show()
d2l.show_heatmaps(attention.attention_weights.reshape((1, 1, 2, 10)), xlabel='Keys', ylabel='Queries')
