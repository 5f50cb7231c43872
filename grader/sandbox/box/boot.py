"""Started by path in a fresh isolated interpreter: puts `box` in reach and becomes the template.

`python -I -S -u boot.py SETTINGS`: no site-packages, no `.pth` files, no current folder. The folders that
hold torch come in SETTINGS; the folder above `box` is taken off the path again, so that nothing of the
grader but `box` can be imported.
"""

import json
import os
import sys


def main() -> None:
    settings = json.loads(sys.argv[1])
    sys.argv = ["student"]
    sys.path.extend(settings["import_paths"])
    above = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    sys.path.insert(0, above)
    from box import template  # type: ignore[import-not-found]

    sys.path.remove(above)
    template.serve(settings)


if __name__ == "__main__":
    main()
