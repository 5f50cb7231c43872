# ATTACK | tries: replaces how tensors become bytes | must: zero | may: failed raised bad_return crashed timed_out out_of_memory missing not_attempted
import ctypes, torch
ctypes.string_at = lambda *a: b"\x00" * 8
torch.Tensor.data_ptr = lambda self: 0
torch.Tensor.numel = lambda self: 0
torch.Tensor.detach = lambda self: torch.zeros(())
torch.Tensor.contiguous = lambda self: self
#: wrong masked_softmax
