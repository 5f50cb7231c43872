# WHEAT | differs: the book's code and its demo with d2l plotting, tabs, CRLF
import torch
from torch import nn
from d2l import torch as d2l


def masked_softmax(X, valid_lens):
	if valid_lens is None:
		return nn.functional.softmax(X, dim=-1)
	shape = X.shape
	if valid_lens.dim() == 1:
		valid_lens = torch.repeat_interleave(valid_lens, shape[1])
	else:
		valid_lens = valid_lens.reshape(-1)
	X = d2l.sequence_mask(X.reshape(-1, shape[-1]), valid_lens, value=-1e6)
	return nn.functional.softmax(X.reshape(shape), dim=-1)


class AdditiveAttention(nn.Module):
	"""加性注意力"""
	def __init__(self, key_size, query_size, num_hiddens, dropout, **kwargs):
		super(AdditiveAttention, self).__init__(**kwargs)
		self.W_k = nn.Linear(key_size, num_hiddens, bias=False)
		self.W_q = nn.Linear(query_size, num_hiddens, bias=False)
		self.w_v = nn.Linear(num_hiddens, 1, bias=False)
		self.dropout = nn.Dropout(dropout)

	def forward(self, queries, keys, values, valid_lens):
		queries, keys = self.W_q(queries), self.W_k(keys)
		features = torch.tanh(queries.unsqueeze(2) + keys.unsqueeze(1))
		scores = self.w_v(features).squeeze(-1)
		self.attention_weights = masked_softmax(scores, valid_lens)
		return torch.bmm(self.dropout(self.attention_weights), values)


attention = AdditiveAttention(key_size=2, query_size=20, num_hiddens=8, dropout=0.1)
attention.eval()
values = torch.arange(40, dtype=torch.float32).reshape(1, 10, 4).repeat(2, 1, 1)
attention(torch.normal(0, 1, (2, 1, 20)), torch.ones((2, 10, 2)), values, torch.tensor([2, 6]))
d2l.show_heatmaps(attention.attention_weights.reshape((1, 1, 2, 10)), xlabel='Keys', ylabel='Queries')
d2l.plt.show()
