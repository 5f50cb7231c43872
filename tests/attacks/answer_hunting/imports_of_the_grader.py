# ATTACK | tries: imports the reference, the suites and the grader by name | must: zero | may: failed raised bad_return crashed timed_out out_of_memory missing not_attempted
import importlib
for name in ("solutions", "solutions.masked_softmax", "tests.hidden.test_masked_softmax", "test_masked_softmax",
             "grader", "grader.catalog", "grader.suite.reference", "_reference_masked_softmax", "reference", "conftest"):
    try:
        module = importlib.import_module(name)
        if hasattr(module, "masked_softmax") and not str(module.__file__).startswith("<student>"):
            print("LEAK", name)
            masked_softmax = module.masked_softmax
            break
    except ImportError:
        pass
else:
    pass
#: wrong masked_softmax
