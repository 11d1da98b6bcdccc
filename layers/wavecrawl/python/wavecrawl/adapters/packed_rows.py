"""Rows as one packed body: a struct in MessagePack, the same in every store.

Stores keep a row as its key, the columns that queries need, and the body. A field is therefore named in its struct
alone. If a body was written before a field existed, the field has its default.
"""

import zlib
from collections.abc import Mapping
from typing import Generic, TypeVar, get_type_hints

import msgspec
from msgspec.structs import replace

from wavecrawl.errors import CorruptDataError

Shape = TypeVar("Shape", bound=msgspec.Struct)

_encode = msgspec.msgpack.Encoder().encode

_ROOM = 850
"""Bytes of a body that fit, with key and columns, into a write unit of DynamoDB (1 KB). Larger ones are compressed."""

_COMPRESSED = b"\x78"
"""First byte of a zlib stream with a 32 KB window (RFC 1950). The MessagePack of a map never starts with it."""


class PackedRows(Generic[Shape]):
    """Packs and unpacks the rows of one struct."""

    def __init__(self, shape: type[Shape]) -> None:
        self._decoder = msgspec.msgpack.Decoder(shape)
        self._types = get_type_hints(shape)
        self._name = shape.__name__

    def pack(self, row: Shape) -> bytes:
        """Return the body of a row."""
        data = _encode(row)
        return data if len(data) <= _ROOM else zlib.compress(data)

    def unpack(self, body: bytes, columns: Mapping[str, object] | None = None) -> Shape:
        """Return the row of a body. Columns named like a field replace it; other columns are ignored.

        Raise CorruptDataError if the body is not that of a row.
        """
        try:
            row = self._decoder.decode(zlib.decompress(body) if body[:1] == _COMPRESSED else body)
        except (msgspec.DecodeError, zlib.error) as error:
            raise CorruptDataError(f"a stored {self._name} is damaged ({error}). Restore it from a backup") from error
        newer = {
            name: msgspec.convert(value, self._types[name], strict=False)
            for name, value in (columns or {}).items()
            if name in self._types
        }
        return replace(row, **newer) if newer else row
