"""Visible checks of exercise 5: the first rows of the table, and a few properties."""

import pytest
import torch

from grader.suite import check_form, require

TOLERANCES = {torch.float32: 2e-5}


@pytest.mark.points(2)
@pytest.mark.hint("Columns 0 and 1 are sin(i) and cos(i); columns 2 and 3 are sin(i / 100) and cos(i / 100).")
def test_small_example(student, assert_close):
    """The first three positions for num_hiddens 4, added to the embeddings."""
    net = student.PositionalEncoding(4, 0.0).eval()
    X = torch.tensor([[[5.0] * 4] * 3, [[0.0] * 4, [1.0] * 4, [-2.0] * 4]])
    P = torch.tensor(
        [
            [0.0, 1.0, 0.0, 1.0],
            [0.841471, 0.540302, 0.010000, 0.999950],
            [0.909297, -0.416147, 0.019999, 0.999800],
        ]
    )
    assert_close(net(X), X + P)


@pytest.mark.points(1)
@pytest.mark.hint("Positions run along axis 1; all samples of a batch get the same pattern.")
def test_pattern_depends_on_the_position_only(student, assert_close):
    """What is added depends on the position, not on the embedding or the sample."""
    net = student.PositionalEncoding(6, 0.0).eval()
    X = torch.arange(4.0 * 5 * 6).reshape(4, 5, 6) / 10
    added = check_form(net(X), (4, 5, 6), torch.float32).detach() - X
    assert_close(added, added[:1].expand(4, 5, 6), name="what is added to the samples")
    differs = (added[0, 1:] - added[0, :-1]).abs().amax(dim=1) > 0.01
    require(bool(differs.all()), "Some positions next to each other get the same pattern.")


@pytest.mark.points(1)
@pytest.mark.hint("`P` has a leading axis of size 1, so that P[0, :, 6:10] works as in the book.")
def test_table_shape(student):
    """P has the shape (1, max_len, num_hiddens), and max_len is 1000 if it is left out."""
    for arguments, length in (((6, 0.0), 1000), ((6, 0.0, 30), 30)):
        table = student.PositionalEncoding(*arguments).P
        if isinstance(table, torch.Tensor) and table.is_floating_point():
            table = table.detach().float()  # what it is kept in is nobody's business
        check_form(table, (1, length, 6), torch.float32, name="`P`")
        require(bool((table.abs() <= 1.001).all()), "Sines and cosines lie between -1 and 1; `P` does not.")
        moves = bool((table[0, 0] != table[0, 1]).any())
        require(moves, "The first two rows of `P` are the same.")


@pytest.mark.points(1)
@pytest.mark.hint("`nn.Dropout` looks at `self.training`; so must `F.dropout(..., training=self.training)`.")
def test_dropout_in_training_only(student, assert_close):
    """Dropout makes results differ from call to call in training mode, never in evaluation mode."""
    net = student.PositionalEncoding(8, 0.5)
    X = torch.full((3, 20, 8), 3.0)
    net.eval()
    first, second = (net(X) for _ in range(2))
    check_form(first, (3, 20, 8), torch.float32)
    assert_close(second, first.detach(), name="the second result in evaluation mode")
    net.train()
    first, second = (net(X) for _ in range(2))
    check_form(first, (3, 20, 8), torch.float32)
    check_form(second, (3, 20, 8), torch.float32)
    require(not torch.equal(first, second), "Two results in training mode with dropout 0.5 are the same.")
