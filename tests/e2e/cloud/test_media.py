"""Media in the cloud: stored once, however many workers meet the same content, and reported as on one machine."""

from io import BytesIO
from pathlib import Path

from PIL import Image
from tests.e2e.cloud.test_same_crawl import CONTACT, SETTINGS, assert_no_step_failed
from tests.support.campaign import MANY_FUNCTIONS
from tests.support.cloud import Service
from tests.support.comparing import fingerprint
from tests.support.crawling import SILENT, build_results, on_loopback
from tests.support.media_site import MediaSite, html
from tests.support.synthesis import ROOT

from wavecrawl.bootstrap.local import run_local_crawl
from wavecrawl.bootstrap.store import LocalStore

PAGES = 50
COPIES = 2 * MANY_FUNCTIONS  # URLs of the logo, two for each worker
DOCUMENTS = {
    "pdf": "application/pdf",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
}


def image(color: str) -> bytes:
    file = BytesIO()
    Image.new("RGB", (2_400, 40), color).save(file, "PNG", compress_level=0)
    return file.getvalue()


def site() -> MediaSite:
    """Return a site whose pages show one logo, under several URLs, and link to documents."""
    data, links = ROOT / "tests" / "data" / "documents", "".join(f"<a href=/{n}>{n}</a>" for n in range(PAGES))
    content: dict[str, tuple[str, bytes] | int | str] = {
        f"/{number}": html(f"<img src=/logo.png><img src=/logo-{number % COPIES}.png alt={number}>{links}")
        for number in range(PAGES)
    }
    content["/"] = html(f"<img src=/photo.png><a href=/a.pdf>A</a><a href=/b.docx>B</a>{links}")
    content |= {
        path: ("image/png", image("navy")) for path in ["/logo.png", *(f"/logo-{n}.png" for n in range(COPIES))]
    }
    content["/photo.png"] = ("image/png", image("teal"))
    content["/a.pdf"] = (DOCUMENTS["pdf"], (data / "pdftex.pdf").read_bytes())
    content["/b.docx"] = (DOCUMENTS["docx"], (data / "pandoc.docx").read_bytes())
    return MediaSite(content)


def test_workers_that_meet_the_same_content_store_it_once_as_on_one_machine(service: Service, tmp_path: Path) -> None:
    settings = SETTINGS | {"media": {"include": ["images", "documents"]}}
    service.deployment.set_concurrency("process_media", MANY_FUNCTIONS)
    with site() as server:
        crawl = service.start(server.url, settings)
        shown = service.wait_for(crawl)
        assert (shown["status"], shown["error"]) == ("completed", None)
        assert_no_step_failed(service, crawl)
        cloud = fingerprint(service.download(crawl, tmp_path / "cloud"), server.origin)

        store = LocalStore(tmp_path / "here")
        row, _ = run_local_crawl(
            store,
            store.start(server.url, on_loopback(settings, contact=CONTACT)),
            workers=2,
            watchers=SILENT,
            results=False,
        )
        here = fingerprint(build_results(store, row).exports, server.origin)
        kept = sorted(asset.asset.hash for asset in store.media.list("local"))
        store.close()
    assert {"media.parquet", "media_uses.parquet"} <= here.keys() == cloud.keys()
    for name, content in here.items():
        assert cloud[name] == content, f"{name} differs"

    (bucket,) = service.deployment.named("AWS::S3::Bucket")
    listed = service.deployment.client("s3").list_objects_v2(Bucket=bucket, Prefix="tenants/default/media/")
    stored = [Path(one["Key"]).stem for one in listed["Contents"]]
    assert sorted(stored) == kept
    assert len(kept) == 4  # the logo, the photo and two documents
    assert len(here["media_uses.parquet"]) == 2 * PAGES + 3
