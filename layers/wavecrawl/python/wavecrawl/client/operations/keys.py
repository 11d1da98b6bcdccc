"""Operations on keys. Generated from the OpenAPI document by `make generate`: do not edit."""

from collections.abc import Iterator

from wavecrawl.client.calls import Calls, pages, quoted
from wavecrawl.client.models import ApiKey, ApiKeyList, ApiKeyWithSecret, NewApiKey, Rotation


class KeysOperations(Calls):
    """Operations on keys."""

    def list_keys(self, *, cursor: str | None = None, limit: int | None = None) -> ApiKeyList:
        """List keys.

        List the tenant's keys by id, those that ended within the last month too.
        """
        return self._model(ApiKeyList, "GET", "/v1/keys", query={"cursor": cursor, "limit": limit})

    def iter_keys(self, *, limit: int | None = None) -> Iterator[ApiKey]:
        """List keys: all of them, page after page."""

        def fetch(cursor: str | None) -> tuple[list[ApiKey], str | None]:
            page = self.list_keys(limit=limit, cursor=cursor)
            return page.keys, page.next_cursor

        return pages(fetch)

    def make_key(self, body: NewApiKey, *, idempotency_key: str | None = None) -> ApiKeyWithSecret:
        """Make a key.

        Make a key of the tenant. It is shown this once. 403: its role is more than that of the key that asks.
        """
        return self._model(
            ApiKeyWithSecret, "POST", "/v1/keys", headers={"idempotency-key": idempotency_key}, body=body
        )

    def revoke_a_key(self, key: str) -> None:
        """Revoke a key.

        End a key, at once. It stays in the list for a month.
        """
        self._nothing("DELETE", f"/v1/keys/{quoted(key)}")

    def rotate_a_key(self, key: str, body: Rotation, *, idempotency_key: str | None = None) -> ApiKeyWithSecret:
        """Rotate a key.

        Make a new key of the same role and name, shown this once; the old one ends after the grace.
        """
        return self._model(
            ApiKeyWithSecret,
            "POST",
            f"/v1/keys/{quoted(key)}/rotate",
            headers={"idempotency-key": idempotency_key},
            body=body,
        )
