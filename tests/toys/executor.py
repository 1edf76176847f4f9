"""The executor `toy`: it runs studies on a few local threads."""

from __future__ import annotations

from pydantic import Field

from tulle.study.executors import model
from tulle.study.executors.local import Local


class Options(model.Options):
    """Options of the executor `toy`."""

    most: int = Field(default=1, ge=1, le=4)
    """threads"""


EXECUTOR = model.ExecutorKind(
    name="toy",
    summary="local threads, at most a few",
    paper="none",
    limitations="For tests.",
    examples=("toy:most=2",),
    settings=Options,
    start=lambda options, _: Local(options.most),
)
