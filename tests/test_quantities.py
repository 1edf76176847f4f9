"""Check that options for lengths, times and powers accept a unit, and that errors state the legal form."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tulle._internal.quantities import metres, seconds, watts
from tulle.design import design
from tulle.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Cli


@pytest.mark.parametrize(
    ("read", "text", "value"),
    [
        (metres, "10", 10),
        (metres, "10m", 10),
        (metres, "10 m", 10),
        (metres, "35cm", 0.35),
        (metres, "1500mm", 1.5),
        (metres, "1.5km", 1500),
        (metres, "1e2m", 100),
        (metres, 7, 7),
        (seconds, "0.5s", 0.5),
        (seconds, "500ms", 0.5),
        (seconds, "10us", 1e-5),
        (seconds, "10µs", 1e-5),
        (seconds, "5min", 300),
        (seconds, "2h", 7200),
        (watts, "1.2kW", 1200),
        (watts, "500W", 500),
    ],
)
def test_numbers_with_units(read: Callable[[str, float | str], float], text: str, value: float) -> None:
    assert read("it", text) == value


@given(st.floats(0, 1e9).map(repr) | st.integers(0, 10**9).map(str))
def test_the_unit_of_the_option_changes_nothing(number: str) -> None:
    for read, unit in ((metres, "m"), (seconds, "s"), (watts, "W")):
        assert read("it", number) == read("it", number + unit) == float(number)


@given(st.text(max_size=8).filter(lambda text: not any(map(str.isdecimal, text))))
def test_other_text_is_refused_in_one_line(text: str) -> None:
    for read, example in ((metres, "10m"), (seconds, "5s"), (watts, "500W")):
        with pytest.raises(
            InputError, match=rf"^it=.* is not a \w+; legal: \w+, for example \w+ or {example}$"
        ) as error:
            read("it", text)
        assert "\n" not in str(error.value)


def test_design_accepts_lengths_like_layout(tulle: Cli) -> None:
    arguments = ("design", "--endpoints", "100", "--radix", "16", "--family", "slimfly", "--no-certify", "--json")
    found = [json.loads(tulle(*arguments, "--cable", cable).stdout) for cable in ("20", "20m", "2000cm")]
    assert found[0] == found[1] == found[2]
    assert found[0]["cable_m"] == 20
    wrong = tulle(*arguments, "--cable", "20ft")
    assert (wrong.returncode, wrong.stderr) == (
        2,
        "tulle: --cable=20ft is not a length; legal: metres, for example 10 or 10m\n",
    )
    assert (
        design(100, 16, cable="20m", families=["slimfly"]).proposals
        == design(100, 16, cable=20, families=["slimfly"]).proposals
    )


def test_other_commands_accept_units(tulle: Cli) -> None:
    layout = ("layout", "slimfly:q=3", "--prices", "example-400gbe", "--json", "--host-watts")
    assert tulle(*layout, "1kW").stdout == tulle(*layout, "1000").stdout
    assert (
        tulle(*layout, "1kV").stderr
        == "tulle: --host-watts=1kV is not a power; legal: watts, for example 500 or 500W\n"
    )
    tune = ("tune", "slimfly:q=3", "--json", "--patience")
    assert json.loads(tulle(*tune, "5s").stdout)["routing"] == json.loads(tulle(*tune, "5").stdout)["routing"]
    assert tulle(*tune, "soon").stderr == "tulle: --patience=soon is not a time; legal: seconds, for example 5 or 5s\n"
