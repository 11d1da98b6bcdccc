"""A full archive through the functions has the responses of the same crawl on one machine."""

import io
import zipfile
from collections.abc import Mapping
from pathlib import Path

from msgspec.structs import replace
from tests.handlers.cloud.test_whole_crawl import downloaded, start
from tests.support.crawling import QUICK, crawl_inline
from tests.support.functions import Deployment
from tests.support.media_site import MediaSite, html, png
from tests.support.serverless import Serverless
from warcio.archiveiterator import ArchiveIterator

from wavecrawl.domain.archive.settings import ArchiveContent, ArchiveSettings
from wavecrawl.domain.crawl.result_files import ResultFile

CONTENT: Mapping[str, tuple[str, bytes] | int | str] = {
    "/": html("<link rel=stylesheet href=/a.css><a href=/b>b</a><img src=/i.png>"),
    "/b": html("<link rel=stylesheet href=/a.css><img src=/gone.png>"),
    "/a.css": ("text/css", b"@import 'b.css';"),
    "/b.css": ("text/css", b"p { background: url(i.png) }"),
    "/i.png": png(1),
}


def bodies(folder: Path) -> dict[str, bytes]:
    """Return the body of each response in the package of a folder, by path."""
    found: dict[str, bytes] = {}
    with zipfile.ZipFile(folder / "crawl.wacz") as opened:
        for name in opened.namelist():
            for record in ArchiveIterator(io.BytesIO(opened.read(name))) if name.startswith("archive/") else ():
                if record.rec_type == "response":
                    url = str(record.rec_headers.get_header("WARC-Target-URI"))
                    found["/" + url.partition("//")[2].partition("/")[2]] = record.content_stream().read()
    return found


def test_the_functions_archive_what_one_machine_archives(stack: Deployment, tmp_path: Path) -> None:
    found = []
    with MediaSite(CONTENT) as site:
        for number in range(2):
            crawl = start(stack, site.url, archive={"content": "full"}, max_retries=0)
            serverless = Serverless(stack)
            assert serverless.run(crawl)["status"] == "completed"
            serverless.call("finish_crawl", {"crawl": crawl, "continued": 1, "files": [ResultFile.WACZ]})
            found.append(bodies(downloaded(stack, crawl, tmp_path / f"cloud-{number}")))
        assert "process_media" not in serverless.calls
        assert site.requests("/b.css")[-1:] == [("GET", 304)]
    with MediaSite(CONTENT) as site:
        archive = ArchiveSettings(content=ArchiveContent.FULL)
        settings = replace(QUICK, archive=archive, files_at_once=(ResultFile.WACZ,), max_retries=0)
        expected = bodies(crawl_inline(site.url, tmp_path / "local", settings).exports)
    assert found == [expected, expected]
    assert expected.keys() == {*CONTENT, "/gone.png"}
