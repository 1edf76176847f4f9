"""Write reports: one HTML file that shows the result of a command and opens without a network.

>>> from tulle.report_html import report
>>> page = report("card.json")                                                           # doctest: +SKIP
>>> page.write("report.html")                                                            # doctest: +SKIP
"""

from tulle.report_html.document import Page
from tulle.report_html.model import Chart, Column, Drawing, Picture, Section, Table
from tulle.report_html.report import report

__all__ = ["Chart", "Column", "Drawing", "Page", "Picture", "Section", "Table", "report"]
