# ATTACK | tries: a finder that makes every module that is asked for | must: zero | may: failed raised bad_return crashed timed_out out_of_memory missing not_attempted
import importlib.abc, importlib.machinery, sys
class All(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name, path, target=None):
        return importlib.machinery.ModuleSpec(name, self)
    def create_module(self, spec):
        return None
    def exec_module(self, module):
        module.masked_softmax = lambda X, lens: True
sys.meta_path.insert(0, All())
sys.path[:] = ["/tmp"]
#: wrong masked_softmax
