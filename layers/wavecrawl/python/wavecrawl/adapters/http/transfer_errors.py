"""Errors of the HTTP adapter. The page client and the webhook sender turn them into values."""

from requests import RequestException

from wavecrawl.domain.fetching.exchange import TransportFault


class TransferError(RequestException):
    """An exchange that failed: the kind of fault, and one line of detail."""

    def __init__(self, fault: TransportFault, detail: str) -> None:
        super().__init__(detail)
        self.fault = fault
        self.detail = detail
        self.address: str | None = None  # of the server, if the connection was made


class StaleConnectionError(TransferError):
    """A connection that broke before the first byte of the response.

    Usually the server had closed an idle connection at the moment it was used again.
    """


def timed_out(doing: str) -> TransferError:
    """Return the error for a deadline that passed while `doing` something."""
    return TransferError(TransportFault.TIMEOUT, f"the deadline passed while {doing}")


def protocol_error(detail: str) -> TransferError:
    """Return the error for a response that is not valid HTTP."""
    return TransferError(TransportFault.PROTOCOL, detail)


def one_line(text: object) -> str:
    """Return text as one printable line of at most 200 characters."""
    short = str(text)[:200]
    return short if short.isprintable() else "".join(c if c.isprintable() else " " for c in short)
