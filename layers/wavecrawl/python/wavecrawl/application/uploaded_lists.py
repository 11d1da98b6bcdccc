"""Uploaded lists of URLs: create, check, delete; give them to crawls, and keep them for the sites that name them."""

from collections.abc import Callable, Iterator
from secrets import token_hex
from typing import Final

from msgspec.structs import replace

from wavecrawl.application.operator_settings import OperatorSettings
from wavecrawl.domain.counts import counted
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.lists.file_format import urls_in
from wavecrawl.domain.lists.state import ListState
from wavecrawl.domain.tenants.limits import DAYS_OF_A_LIST, LONGEST_LIST_NAME, MOST_LISTS, MOST_SITES_OF_A_LIST
from wavecrawl.domain.tenants.plans import CEILINGS
from wavecrawl.errors import ConflictError, InvalidInputError, NotFoundError, PlanLimitError
from wavecrawl.ports.tenants import TenantRow
from wavecrawl.ports.url_lists import UrlList, UrlLists

_MB: Final = 1_000_000
_DAY: Final = 86_400.0
_ATTEMPTS: Final = 5  # to change a row that other requests change too
_WITHOUT_UPLOAD: Final = _DAY  # seconds for which a list that is not ready is kept


def new_list_id() -> str:
    """Return the id of a new list."""
    return f"list-{token_hex(8)}"


def create_list(
    tenant: str, list_: str, *, name: str, size: int, lists: UrlLists, operator: OperatorSettings, now: float
) -> UrlList:
    """Create a list, whose file of `size` bytes is uploaded next. Lists that have expired are deleted.

    Return the stored list if it was created before. Raise InvalidInputError if the name or the size is not valid,
    ConflictError if the tenant has `MOST_LISTS`.
    """
    most = operator.max_list_mb * _MB
    if not 0 < size <= most:
        raise InvalidInputError(
            f"bytes: must be from 1 to {most:,}, not {size:,}; compress the file with gzip, or divide it"
        )
    if len(name) > LONGEST_LIST_NAME or not name.isprintable():
        raise InvalidInputError(f"name: must be at most {LONGEST_LIST_NAME} printable characters: {name[:200]!r}")
    if len(lists_of(tenant, lists=lists, now=now)) >= MOST_LISTS and lists.read(tenant, list_) is None:
        raise ConflictError(f"a tenant can have {MOST_LISTS} lists; delete one")
    row = UrlList(tenant=tenant, list=list_, name=name, bytes=size, created_at=now, expires_at=now + _WITHOUT_UPLOAD)
    return row if lists.create(row) else lists.read(tenant, list_) or row


def lists_of(tenant: str, *, lists: UrlLists, now: float) -> list[UrlList]:
    """Return a tenant's lists, newest first. Delete those that have expired."""
    found = lists.of_tenant(tenant)
    for row in found:
        if _has_expired(row, now):
            lists.delete(tenant, row.list)
    alive = (row for row in found if not _has_expired(row, now))
    return sorted(alive, key=lambda row: (row.created_at, row.list), reverse=True)


def find_list(tenant: str, list_: str, *, lists: UrlLists, now: float) -> UrlList | None:
    """Return a list that has not expired, or None."""
    row = lists.read(tenant, list_)
    return None if row is None or _has_expired(row, now) else row


def check_list(row: UrlList, *, tenant: TenantRow, lists: UrlLists, operator: OperatorSettings, now: float) -> UrlList:
    """Check the uploaded file of a list and store its URLs; return the list, which is ready then.

    A list that is ready is returned as it is. Raise InvalidInputError if the file cannot be used, which names the first
    bad line: the list is invalid then. Raise ConflictError if nothing was uploaded, PlanLimitError if the list has more
    URLs than the tenant's plan allows.
    """
    if row.state is ListState.READY:
        return row
    pieces = lists.uploaded(row.tenant, row.list)
    if pieces is None:
        stored = lists.read(row.tenant, row.list)
        if stored is not None and stored.state is ListState.READY:  # another request has checked it meanwhile
            return stored
        raise ConflictError(f"nothing was uploaded for list {row.list}: {row.problem or 'send the file to upload.url'}")
    count = _Count(_limit_of(tenant, operator))
    try:
        lists.store(row.tenant, row.list, count.of(urls_in(pieces, most_bytes=operator.max_list_mb * _MB)))
    except InvalidInputError as error:
        _mark_invalid(row, str(error), lists)
        raise InvalidInputError(f"list {row.list}: {error}. Correct the file, and upload it as a new list") from error
    except _TooManyError as error:
        problem = f"the list has more than {error.most:,} URLs"
        _mark_invalid(row, problem, lists)
        raise _too_many(problem, tenant, error.most) from error

    def ready(old: UrlList) -> UrlList:
        if old.state is ListState.READY:  # another request has checked it meanwhile, and a site may name it
            return old
        expires_at = now + DAYS_OF_A_LIST * _DAY
        return replace(old, state=ListState.READY, urls=count.urls, problem="", expires_at=expires_at)

    try:
        checked = _changed(row, lists, ready)
    except NotFoundError:  # it was deleted meanwhile
        lists.delete(row.tenant, row.list)
        raise
    if checked.sites:
        lists.keep(row.tenant, row.list, forever=True)  # it was stored again, as a list that no site names
    return checked


def delete_list(row: UrlList, *, lists: UrlLists) -> None:
    """Delete a list. Crawls have their own copies. Raise ConflictError if a saved site names it."""
    if row.sites:
        raise ConflictError(
            f"list {row.list} belongs to {counted(len(row.sites), 'saved site')}, such as {row.sites[0]}; change "
            "url_list there first, or delete the site"
        )
    lists.delete(row.tenant, row.list)


def usable_list(tenant: TenantRow, list_: str, *, lists: UrlLists, now: float) -> UrlList:
    """Return a list that a crawl or a site of the tenant may name.

    Raise InvalidInputError if there is no such list, or it is not ready; PlanLimitError if it has more URLs than the
    tenant's plan allows.
    """
    row = find_list(tenant.tenant, list_, lists=lists, now=now) if list_.isascii() and list_.isprintable() else None
    if row is None:
        raise InvalidInputError(f"url_list: there is no list {list_[:100]!r}; upload it first: POST /v1/lists")
    if row.state is ListState.INVALID:
        raise InvalidInputError(
            f"url_list: list {list_} cannot be used: {row.problem}. Correct the file, and upload it as a new list"
        )
    if row.state is ListState.WAITING:
        raise InvalidInputError(
            f"url_list: list {list_} is not checked yet; upload the file, then send POST /v1/lists/{list_}/check"
        )
    most = CEILINGS[tenant.plan].max_list_urls
    if most is not None and row.urls > most:
        raise _too_many(f"url_list: list {list_} has {row.urls:,} URLs", tenant, most)
    return row


def give_list(crawl: CrawlId, list_: str, *, tenant: TenantRow, lists: UrlLists, now: float) -> None:
    """Copy a list to a crawl, which then does not need it any more. Raise as `usable_list`."""
    row = usable_list(tenant, list_, lists=lists, now=now)
    if not lists.give(row.tenant, row.list, crawl):
        raise InvalidInputError(f"url_list: list {list_} was deleted; upload it again: POST /v1/lists")


def hold_list(tenant: TenantRow, list_: str, site: str, *, lists: UrlLists, now: float) -> None:
    """Keep a list until the site no longer names it. Raise as `usable_list`, and ConflictError if too many sites do."""
    row = usable_list(tenant, list_, lists=lists, now=now)
    if site in row.sites:
        return
    if len(row.sites) >= MOST_SITES_OF_A_LIST:
        raise ConflictError(f"list {list_} belongs to {MOST_SITES_OF_A_LIST:,} sites, the maximum; upload it again")
    lists.keep(row.tenant, row.list, forever=True)
    _changed(row, lists, lambda old: replace(old, sites=tuple(sorted({*old.sites, site})), expires_at=0.0))


def release_list(tenant: str, list_: str, site: str, *, lists: UrlLists) -> None:
    """Record that a site no longer names a list. If no other site does, the list expires by its age."""
    row = lists.read(tenant, list_)
    if row is None or site not in row.sites:
        return

    def released(old: UrlList) -> UrlList:
        sites = tuple(one for one in old.sites if one != site)
        return replace(old, sites=sites, expires_at=0.0 if sites else old.created_at + DAYS_OF_A_LIST * _DAY)

    if not _changed(row, lists, released).sites:
        lists.keep(tenant, list_, forever=False)


def _mark_invalid(row: UrlList, problem: str, lists: UrlLists) -> None:
    _changed(row, lists, lambda old: replace(old, state=ListState.INVALID, problem=problem))


class _TooManyError(Exception):
    def __init__(self, most: int) -> None:
        super().__init__()
        self.most = most


class _Count:
    """Counts the URLs that pass, up to a limit."""

    def __init__(self, most: int) -> None:
        self.urls = 0
        self._most = most

    def of(self, urls: Iterator[str]) -> Iterator[str]:
        for url in urls:
            if self.urls == self._most:
                raise _TooManyError(self._most)
            self.urls += 1
            yield url
        if not self.urls:
            raise InvalidInputError("the list contains no URL")


def _limit_of(tenant: TenantRow, operator: OperatorSettings) -> int:
    of_plan = CEILINGS[tenant.plan].max_list_urls
    return operator.max_list_urls if of_plan is None else min(of_plan, operator.max_list_urls)


def _too_many(problem: str, tenant: TenantRow, most: int) -> PlanLimitError | InvalidInputError:
    """Return the error of a list that is too long: that of the plan, or that of the deployment."""
    plan = tenant.plan.value
    if most != CEILINGS[tenant.plan].max_list_urls:
        return InvalidInputError(f"{problem}, and this deployment allows {most:,} per list; divide the list")
    message = f"{problem}, and plan {plan} allows {most:,} per list; divide the list, or upgrade"
    return PlanLimitError(message, plan=plan, limit="max_list_urls", ceiling=most)


def _has_expired(row: UrlList, now: float) -> bool:
    return 0 < row.expires_at < now


def _changed(row: UrlList, lists: UrlLists, change: Callable[[UrlList], UrlList]) -> UrlList:
    """Return the list as changed and stored. Other requests may change it at the same time."""
    for _ in range(_ATTEMPTS):
        new = replace(change(row), version=row.version + 1)
        if lists.update(new):
            return new
        stored = lists.read(row.tenant, row.list)
        if stored is None:
            raise NotFoundError(f"list {row.list} was deleted")
        row = stored
    raise ConflictError(f"list {row.list} is being changed by other requests; try again")
