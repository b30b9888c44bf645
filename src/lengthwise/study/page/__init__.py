"""The report of a study as a page: one file that needs nothing else.

    heat_map, mistakes, witness, numbers   what there is to show, as plain data
    chart*, inline_svg                     drawings
    view, render, templates/               the page itself

Light and dark, on paper and on a phone; a short script sorts the table of numbers and shows values under the pointer,
and everything can be read without it.
"""

from lengthwise.study.page.charts import Chart, charts, write
from lengthwise.study.page.render import fragment, page

__all__ = ["Chart", "charts", "fragment", "page", "write"]
