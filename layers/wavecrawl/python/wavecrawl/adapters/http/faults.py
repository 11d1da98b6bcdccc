"""How a request fails inside the adapter, before the client turns it into a value."""

from requests import RequestException

from wavecrawl.domain.fetching.exchange import TransportFault


class TransferError(RequestException):
    """The exchange ended early: the kind of fault, and one line for people."""

    def __init__(self, fault: TransportFault, detail: str) -> None:
        super().__init__(detail)
        self.fault = fault
        self.detail = detail
        self.address: str | None = None  # connected to, where it came so far


class StaleConnectionError(TransferError):
    """A connection broke before one byte of the answer came: mostly a kept one that the server had closed meanwhile."""


def timed_out(doing: str) -> TransferError:
    """Return the error of a deadline that passed while `doing` something."""
    return TransferError(TransportFault.TIMEOUT, f"the deadline passed while {doing}")


def one_line(text: object) -> str:
    """Return text as one printable line of at most 200 characters."""
    short = str(text)[:200]
    return short if short.isprintable() else "".join(c if c.isprintable() else " " for c in short)
