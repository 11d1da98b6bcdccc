"""The names of the files of uploaded lists, the same in S3 and in a folder."""

UPLOADS = "uploads/"
"""The prefix of uploaded files. They are needed until they are checked."""


def upload_name(tenant: str, list_: str) -> str:
    """Return the name of an uploaded file."""
    return f"{UPLOADS}{tenant}/{list_}"


def list_name(tenant: str, list_: str) -> str:
    """Return the name of a checked list: text, one URL per line, compressed with gzip."""
    return f"tenants/{tenant}/lists/{list_}.txt.gz"
