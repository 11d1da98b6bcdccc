"""Uploaded lists of URLs as models."""

from typing import Any

from wavecrawl.api_models import url_lists as models
from wavecrawl.api_models.types import timestamp, timestamp_or_none
from wavecrawl.ports.url_lists import UPLOAD_SECONDS, UrlList


def list_model(row: UrlList) -> models.UploadedList:
    """Return a list."""
    return models.UploadedList(**_fields(row))


def new_list_model(row: UrlList, upload_url: str, now: float) -> models.UploadedListWithTarget:
    """Return a new list with the URL to upload its file to, which was made `now`."""
    target = models.UploadTarget(method="PUT", url=upload_url, expires_at=timestamp(now + UPLOAD_SECONDS))
    return models.UploadedListWithTarget(**_fields(row), upload=target)


def _fields(row: UrlList) -> dict[str, Any]:
    return {
        "list": row.list,
        "name": row.name,
        "state": row.state,
        "bytes": row.bytes,
        "urls": row.urls,
        "problem": row.problem or None,
        "sites": len(row.sites),
        "created_at": timestamp(row.created_at),
        "expires_at": timestamp_or_none(row.expires_at),
    }
