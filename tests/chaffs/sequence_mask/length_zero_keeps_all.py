# CHAFF | misconception: length_zero_keeps_all | TA: A row of length 0 stays as it was. With no valid step, all of the row is padding: 0 is a length like any other, and not "no length given". | detectable by: outputs
import torch


def sequence_mask(X, valid_len, value=0):
    rows = []
    for row, n in zip(X, valid_len.tolist()):
        n = n or len(row)
        rows.append(torch.cat((row[:n], torch.full_like(row[n:], value))))
    return torch.stack(rows)
