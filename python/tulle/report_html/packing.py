"""Pack arrays of integers into text: deflate, then base 64. Browsers unpack both without a library."""

from __future__ import annotations

import base64
import zlib
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_LEVEL = 9


def packed(values: NDArray[Any]) -> dict[str, str | int]:
    """Return an array as its number type, its length, and its bytes as text.

    The type is the smallest of uint8, uint16 and uint32 that holds all values. Bytes are little-endian, and the bytes
    of equal significance are stored together, because that compresses better.
    """
    most = int(values.max(initial=0))
    kind = next(kind for kind in ("uint8", "uint16", "uint32") if most <= np.iinfo(kind).max)
    flat = np.ascontiguousarray(values.reshape(-1), dtype=np.dtype(kind).newbyteorder("<"))
    planes = flat.view(np.uint8).reshape(len(flat), flat.itemsize).T
    # The output has no header and no checksum. Browsers call this format deflate-raw.
    compressor = zlib.compressobj(_LEVEL, zlib.DEFLATED, -zlib.MAX_WBITS)
    content = compressor.compress(planes.tobytes()) + compressor.flush()
    return {"type": kind, "length": len(flat), "content": base64.b64encode(content).decode()}
