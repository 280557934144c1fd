"""A report panel: the radii of the discs of each run."""

from pixelproof.report import Panel
from pixelproof.web import number, table, tag


def render(views):
    rows = []
    for view in views:
        radii = [result.metrics["radius"] for result in view.run.results(view.bench) if "radius" in result.metrics]
        rows.append([view.name, number(min(radii)), number(max(radii))])
    return tag("div", table(("model", "smallest radius", "largest radius"), rows, "Radii"), class_="radii")


PANEL = Panel("Radii of the discs", lambda views: views[0].bench.name == "discs", render)
