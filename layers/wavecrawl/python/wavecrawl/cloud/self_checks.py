"""The checks of a function's self-test: imports, environment, and each store that it uses.

A check uses the permissions that the function has for its work. The state machine, and queues to which a function only
sends, are not checked: every call would start or send something. A crawl checks them (`wavecrawl doctor --crawl URL`).
"""

import platform
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from tempfile import TemporaryDirectory
from types import MappingProxyType
from uuid import uuid4

from wavecrawl.adapters.aws.faults import translated
from wavecrawl.adapters.aws.memory_files import S3MemoryFiles
from wavecrawl.adapters.aws.names import self_test_row
from wavecrawl.adapters.aws.secrets import SecretsManagerSecrets
from wavecrawl.adapters.aws.writes import NewRow
from wavecrawl.adapters.part_objects import hidden_prefix
from wavecrawl.bootstrap.cloud import Cloud
from wavecrawl.bootstrap.cloud_settings import variable_of
from wavecrawl.cloud import knowledge_checks
from wavecrawl.cloud.check_failed import TENANT, CheckFailedError
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.ports.parts import Table
from wavecrawl.telemetry import logger

EVENT_SOURCE = "wavecrawl.self-test"
"""The source of the event that is put on the bus. No rule of the stack matches it."""

_NO_CRAWL = CrawlId(tenant=TENANT, site=TENANT, crawl=TENANT)
_ROW_SECONDS = 86_400.0  # until the row expires
_SNAPSHOT = f"tenants/{TENANT}/frontier/urls.msgpack"
_HTML = (("Content-Type", "text/html"),)
_GIF = bytes.fromhex("47494638396101000100800000ffffff0000002c00000000010001000002024401003b")  # 1 x 1 pixel
_PAGE = b"<html><body><script>document.body.innerHTML = '<p>rendered</p>'</script></body></html>"
_EXPIRES = "lifetime=crawl"  # as snapshots and lists of URLs do
_EVERYWHERE = ("adapters.aws", "adapters.http", "api", "application", "cloud.webhook", "domain")
_ANALYTICS = ("adapters.analytics", "adapters.wacz", "cloud")  # in functions that have the layer with DuckDB

Check = Callable[[Cloud, str], None]
"""Raises an exception if the check fails. The text is the function's name."""


def self_test(cloud: Cloud, uses: Iterable[str], *, function: str) -> dict[str, object]:
    """Run the checks of a function and return the problem of each by the name of the check; "" = none."""
    problems = {name: _problem(name, cloud, function) for name in ("imports", *uses)}
    logger.info("self-test", failed=[name for name, problem in problems.items() if problem])
    return {"checks": problems, "python": f"{platform.python_version()} {platform.machine()}"}


def _problem(name: str, cloud: Cloud, function: str) -> str:
    missing = [variable_of(setting) for setting in _SETTINGS.get(name, ()) if not getattr(cloud.settings, setting)]
    if missing:
        return f"not set in the environment: {', '.join(missing)}"
    try:
        CHECKS[name](cloud, function)
    except Exception as error:  # noqa: BLE001 - every error is the result of the check
        return f"{type(error).__name__}: {error}"
    return ""


def _imports(cloud: Cloud, function: str) -> None:  # noqa: ARG001 - all checks have the same arguments
    import_all(_EVERYWHERE)


def _analytics(cloud: Cloud, function: str) -> None:  # noqa: ARG001
    import_all(_ANALYTICS)
    import duckdb  # noqa: PLC0415 - only in the functions with this check

    with duckdb.connect() as database:
        database.execute("SELECT 1").fetchall()


def import_all(packages: Iterable[str]) -> None:
    """Import modules of wavecrawl, all modules of its packages, and with them the native modules that they need."""
    for name in packages:
        package = import_module(f"wavecrawl.{name}")
        for module in walk_packages(getattr(package, "__path__", ()), f"{package.__name__}."):
            import_module(module.name)


def _table(cloud: Cloud, function: str) -> None:
    key, mark = self_test_row(function), uuid4().hex
    cloud.table.put(NewRow(key=key, row={"mark": mark, "expires_at": int(cloud.clock.now() + _ROW_SECONDS)}))
    row = cloud.table.get(key)
    if row is None or row.get("mark") != mark:
        raise CheckFailedError("the row that was just written cannot be read")


def _table_read(cloud: Cloud, function: str) -> None:
    cloud.table.get(self_test_row(function))  # None if there is no such row, which is good


def _objects(cloud: Cloud, function: str) -> None:
    key, mark = f"tenants/{TENANT}/exports/{function}", uuid4().hex.encode()
    cloud.bucket.put(key, mark)
    if cloud.bucket.get(key) != mark:
        raise CheckFailedError("the object that was just written cannot be read")


def _objects_read(cloud: Cloud, function: str) -> None:
    cloud.bucket.get(f"tenants/{TENANT}/exports/{function}")  # None if there is no such object, which is good


def _memory_marked(cloud: Cloud, function: str) -> None:
    cloud.memories.forget(_NO_CRAWL, function, now=0.0)


def _memory_deleted(cloud: Cloud, function: str) -> None:
    S3MemoryFiles(cloud.bucket).delete(_NO_CRAWL, [function])  # there is no such file


def _tables_read(cloud: Cloud, function: str) -> None:
    cloud.bucket.get(f"tables/{TENANT}/{function}")  # None if there is no such object, which is good


def _tables(cloud: Cloud, function: str) -> None:
    cloud.bucket.put(f"tables/{Table.URLS.value}/tenant={TENANT}/.{function}", b"")  # see `_hidden_pages`


def _objects_that_expire(cloud: Cloud, function: str) -> None:  # noqa: ARG001
    cloud.bucket.put_new(_SNAPSHOT, b"", tag=_EXPIRES)  # needs the same permissions if the object exists


def _hidden_pages(cloud: Cloud, function: str) -> None:  # noqa: ARG001
    cloud.bucket.put(f"{hidden_prefix()}{TENANT}", b"")  # queries read no object whose name starts with a dot


def _screenshots_deleted(cloud: Cloud, function: str) -> None:
    cloud.screenshots.delete(_NO_CRAWL, function)  # there is no such screenshot


def _assets_deleted(cloud: Cloud, function: str) -> None:
    cloud.bucket.delete([f"tenants/{TENANT}/media/{function}"])  # there is no such object


def _catalog(cloud: Cloud, function: str) -> None:  # noqa: ARG001
    cloud.catalog.add(_NO_CRAWL, strict=True)


def _catalog_removals(cloud: Cloud, function: str) -> None:  # noqa: ARG001
    cloud.catalog.remove(_NO_CRAWL)


def _fetch_queue(cloud: Cloud, function: str) -> None:  # noqa: ARG001
    _queue(cloud, cloud.settings.fetch_queue_url)


def _render_queue(cloud: Cloud, function: str) -> None:  # noqa: ARG001
    _queue(cloud, cloud.settings.render_queue_url)


def _browser(cloud: Cloud, function: str) -> None:  # noqa: ARG001
    """Render a page that requests nothing."""
    from wavecrawl.adapters.browser.unpacking import unpack_browser  # noqa: PLC0415 - only the function with a browser
    from wavecrawl.bootstrap.browsers import chromium  # noqa: PLC0415 - as above
    from wavecrawl.cloud.render_batch import UNPACKED  # noqa: PLC0415 - as above
    from wavecrawl.ports.browser import RenderRequest  # noqa: PLC0415 - as above

    unpack_browser(UNPACKED)
    browser = chromium(CrawlSettings())
    try:
        page = browser.render(RenderRequest(url="http://self-test.invalid/", status=200, headers=_HTML, body=_PAGE))
    finally:
        browser.close()
    if page.problem:
        raise CheckFailedError(f"Chromium did not render a page: {page.problem}")
    if "<p>rendered</p>" not in page.html:
        raise CheckFailedError("Chromium did not run the script of a page")


def _media_queue(cloud: Cloud, function: str) -> None:  # noqa: ARG001
    _queue(cloud, cloud.settings.media_queue_url)


def _media(cloud: Cloud, function: str) -> None:  # noqa: ARG001
    """Process an image in a child process."""
    from wavecrawl.bootstrap.media import media_processor  # noqa: PLC0415 - only the function for media has Pillow
    from wavecrawl.domain.media.kinds import MediaKind  # noqa: PLC0415 - as above
    from wavecrawl.domain.media.settings import MediaSettings  # noqa: PLC0415 - as above

    processor = media_processor(MediaSettings())
    try:
        with TemporaryDirectory() as folder:
            path = Path(folder, "image")
            path.write_bytes(_GIF)
            asset = processor.process(path, wanted=frozenset({MediaKind.IMAGE})).asset
    finally:
        processor.close()
    if (asset.width, asset.height) != (1, 1):
        raise CheckFailedError(f"an image was not read: {asset.problem}")


def _index_queue(cloud: Cloud, function: str) -> None:  # noqa: ARG001
    _queue(cloud, cloud.settings.index_queue_url)


def _folds_queue(cloud: Cloud, function: str) -> None:  # noqa: ARG001
    _queue(cloud, cloud.settings.folds_queue_url)


def _deliveries_queue(cloud: Cloud, function: str) -> None:  # noqa: ARG001
    _queue(cloud, cloud.settings.deliveries_queue_url)


def _queue(cloud: Cloud, url: str) -> None:
    with translated(f"reading the attributes of {url}"):
        cloud.clients.sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["ApproximateNumberOfMessages"])


def _bus(cloud: Cloud, function: str) -> None:  # noqa: ARG001
    event = {"Source": EVENT_SOURCE, "DetailType": "self-test", "Detail": "{}", "EventBusName": cloud.settings.bus}
    with translated(f"putting an event on bus {cloud.settings.bus}"):
        answer = cloud.clients.events.put_events(Entries=[event])  # type: ignore[list-item]  # a plain dict
    if answer["FailedEntryCount"]:
        raise CheckFailedError(f"the bus did not accept an event: {answer['Entries'][0].get('ErrorMessage', '')}")


def _secret(cloud: Cloud, function: str) -> None:  # noqa: ARG001
    """Read the secret itself, as `cloud.secrets` may be five minutes old."""
    settings = cloud.settings
    secrets = SecretsManagerSecrets(cloud.clients.secrets, settings.secret_id, cloud.clock).current()
    if not (secrets.api_keys and secrets.webhook_secrets):
        raise CheckFailedError("the secret has no API key or no webhook secret. Run `wavecrawl admin init`")


def _credentials(cloud: Cloud, function: str) -> None:
    """Read the credentials of a site that does not exist."""
    cloud.credentials.read(TENANT, function)


def _credentials_removed(cloud: Cloud, function: str) -> None:
    """Delete the credentials of a site that does not exist, which changes nothing."""
    cloud.credentials.delete(TENANT, function)


def _setting_only(cloud: Cloud, function: str) -> None:
    """Check nothing else, as every call would start or send something."""


def _schedules(cloud: Cloud, function: str) -> None:
    cloud.schedules.remove(TENANT, function)  # there is no such schedule


CHECKS: Mapping[str, Check] = MappingProxyType(
    {
        "imports": _imports,
        "analytics": _analytics,
        "table": _table,
        "table_read": _table_read,
        "objects": _objects,
        "objects_read": _objects_read,
        "tables_read": _tables_read,
        "objects_that_expire": _objects_that_expire,
        "memory_marked": _memory_marked,
        "memory_deleted": _memory_deleted,
        "tables": _tables,
        "hidden_pages": _hidden_pages,
        "screenshots_deleted": _screenshots_deleted,
        "assets_deleted": _assets_deleted,
        "catalog": _catalog,
        "catalog_removals": _catalog_removals,
        "fetch_queue": _fetch_queue,
        "render_queue": _render_queue,
        "browser": _browser,
        "media_queue": _media_queue,
        "media": _media,
        "index_queue": _index_queue,
        "knowledge": knowledge_checks.knowledge,
        "passages_read": knowledge_checks.passages_read,
        "vectors": knowledge_checks.vectors,
        "questions": knowledge_checks.questions,
        "folds_queue": _folds_queue,
        "folds_sent": _setting_only,
        "deliveries_queue": _deliveries_queue,
        "deliveries_sent": _setting_only,
        "state_machine": _setting_only,
        "bus": _bus,
        "secret": _secret,
        "credentials": _credentials,
        "credentials_removed": _credentials_removed,
        "schedules": _schedules,
    }
)
"""All checks by their name."""

_SETTINGS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "table": ("table",),
        "table_read": ("table",),
        "objects": ("bucket",),
        "objects_read": ("bucket",),
        "tables_read": ("bucket",),
        "objects_that_expire": ("bucket",),
        "memory_marked": ("bucket",),
        "memory_deleted": ("bucket",),
        "tables": ("bucket",),
        "hidden_pages": ("bucket",),
        "screenshots_deleted": ("bucket",),
        "assets_deleted": ("bucket",),
        "fetch_queue": ("fetch_queue_url",),
        "render_queue": ("render_queue_url",),
        "media_queue": ("media_queue_url",),
        "index_queue": ("index_queue_url",),
        "knowledge": ("bucket",),
        "passages_read": ("bucket",),
        "folds_queue": ("folds_queue_url",),
        "folds_sent": ("folds_queue_url",),
        "deliveries_queue": ("deliveries_queue_url",),
        "deliveries_sent": ("deliveries_queue_url",),
        "state_machine": ("state_machine_arn",),
        "bus": ("bus",),
        "secret": ("secret_id",),
        "schedules": (*("schedule_group", "schedule_role_arn", "schedule_target_arn", "schedule_dead_letters_arn"),),
    }
)
"""The settings that a check needs."""
