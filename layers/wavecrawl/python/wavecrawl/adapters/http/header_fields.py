"""Header fields for requests and responses."""

from collections import OrderedDict
from collections.abc import Iterable

from requests.structures import CaseInsensitiveDict


class HeaderFields(CaseInsensitiveDict[str]):
    """The header dictionary of requests, built without a Python call per field.

    The values of a repeated field are joined by commas (RFC 9110 section 5.3).
    """

    def __init__(self, fields: Iterable[tuple[str, str]]) -> None:
        store: OrderedDict[str, tuple[str, str]] = OrderedDict()
        for field in fields:
            key = field[0].lower()
            if key in store:
                name, value = store[key]
                store[key] = (name, f"{value}, {field[1]}")
            else:
                store[key] = field
        self._store = store

    def members(self, name: str) -> list[str]:
        """Return the members of a list-valued field in lower case, [] if it is missing. `name`: in lower case."""
        field = self._store.get(name)
        return [member.strip() for member in field[1].lower().split(",")] if field is not None else []
