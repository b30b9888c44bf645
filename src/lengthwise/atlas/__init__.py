"""All small programs, one for each function: which of them agree with what was seen.

>>> from lengthwise.atlas import Atlas
>>> atlas = Atlas.build("", "ab", 6)
>>> str(atlas.find(lambda word: "b" in word))
'# "b" >= 1'
"""

from lengthwise.atlas.atlas import Atlas, Member
from lengthwise.atlas.complexity import COMPLEXITIES, Complexity
from lengthwise.atlas.differences import shown
from lengthwise.atlas.grammar import Grammar
from lengthwise.atlas.words import Words

__all__ = ["COMPLEXITIES", "Atlas", "Complexity", "Grammar", "Member", "Words", "shown"]
