"""Which known mistake produces this output: names it, in the words of the exercise's author.

An exercise's known mistakes are in `solutions/misconceptions/<stem>.py`. How an author adds one:

- **Seen in numbers.** A public class or function that computes what the mistaken student computes, with the
  arguments of the exercise's symbol (and its constructor and parameter names, if that is a module). Its
  docstring is what a student reads: what you did, why it is wrong, where to look; no solution. The name is
  told with underscores: `NoScale` becomes `no_scale`. Modules are evaluated in float64, in eval mode, with
  the student's weights. With several symbols in one exercise, an attribute `symbol = "name"` says which one
  a mistake is about.
- **Two at once.** Write the right version in steps, as a class `Right` with a method for each step (it is no
  mistake itself), and every mistake as a subclass that overrides only the steps that it gets wrong, calling
  `super()` if it needs the right ones. Any two that override different steps are then tried together.
- **Seen by a check, not in numbers** (a gradient that stops, dropout in eval mode). A function without
  parameters that has a docstring and nothing else. A check says its name:
  `require(..., misconception="dropout_also_in_eval")`, or, for errors that it does not raise itself,
  `@pytest.mark.misconception("weights_not_stored", "attribute")`: the name, then the reasons that it covers
  (`CheckFailed.reason` or `StudentError.kind`; none means any). That a call raised is no evidence of one
  mistake: a reason with a colon is a regular expression for what the exception says, as in
  `"TypeError: .*forward\\(\\) missing 1 required"`. Some names are given without being asked,
  and are told where the exercise has words for them: `gradient_stops`, `dtype_changed`, `wrong_device`,
  `needs_a_gpu`, `no_super_init`, `returns_nothing`, `returns_tuple`, `inputs_changed`,
  `layers_not_registered` and `layer_of_wrong_size`.

Where several mistakes fit, the one wins that agrees with most of what was seen in all checks of the
exercise, then the one that stands first in the file: put the simpler explanation first.

How it works: while the checks run, their calls are only kept. When an exercise has lost something, each call
is repeated on the reference and on the mistakes. A mistake explains a check if it gives the student's results
on all calls of that check, those that differ from the reference and those that do not. Nothing in here
changes a score; an exercise that is all right costs nothing, any other at most `BUDGET_S` of CPU time.
"""

from grader.diagnose.diagnoser import BUDGET_S, Diagnoser, Finding
from grader.diagnose.mistakes import Mistake, load_mistakes

__all__ = ["BUDGET_S", "Diagnoser", "Finding", "Mistake", "load_mistakes"]
