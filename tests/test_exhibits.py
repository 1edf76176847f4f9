"""The table of all exhibits: a row for each, none blank, and what differs is said with its cause."""

import sys

from conftest import ROOT

sys.path.append(str(ROOT / "tools"))

from exhibit.exhibits import exhibits


def test_no_exhibit_is_blank() -> None:
    found = exhibits()
    assert len({(one.paper, one.name) for one in found}) == len(found) == 83
    for one in found:
        assert one.state != "missing", (one.paper, one.name)
        assert one.why or one.state == "agrees", (one.paper, one.name)
        assert not one.parts or (one.sizes and one.date), (one.paper, one.name)


def test_differences_stand_on_the_pages() -> None:
    for one in exhibits():
        page = (ROOT / f"docs/reproduction/{one.paper}.md").read_text(encoding="utf-8")
        for claim in one.claims:
            if not claim.agrees and not one.listed:
                assert claim.why, (one.name, claim)
                assert claim.why.replace("|", "\\|") in page, (one.name, claim)
