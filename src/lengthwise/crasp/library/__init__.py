"""Ready programs: those of Huang et al. (appendices C and E) by name, and the families they belong to.

>>> from lengthwise.crasp import library
>>> library.get("dyck1").accepts("(())")
True
>>> library.describe("d:5")
'D_5: the words of matching brackets a (opening) and b (closing), nested at most 5 deep'
"""

from lengthwise.crasp.library.catalogue import describe, described, forms, get, load, names

__all__ = ["describe", "described", "forms", "get", "load", "names"]
