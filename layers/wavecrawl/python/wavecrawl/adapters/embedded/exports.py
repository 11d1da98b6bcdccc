"""Exports in a folder."""

from pathlib import Path

from wavecrawl.adapters.embedded.downloads import EXPORTS, Downloads
from wavecrawl.adapters.embedded.folder import crawl_folder
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.ports.exports import Export, content_type_of


class FolderExports:
    """`ports.exports.Exports`."""

    def __init__(self, root: Path, downloads: Downloads) -> None:
        self._root = root
        self._downloads = downloads

    def of(self, crawl: CrawlId) -> list[Export]:
        """Return the files of a crawl, by name."""
        folder = crawl_folder(self._root, crawl) / EXPORTS
        paths = sorted(path for path in folder.rglob("*") if path.is_file()) if folder.is_dir() else []
        names = [(path.relative_to(folder).as_posix(), path.stat().st_size) for path in paths]
        return [Export(name=name, bytes=size, content_type=content_type_of(name)) for name, size in sorted(names)]

    def signed_url(self, crawl: CrawlId, export: Export) -> str:
        """Return a URL that downloads a file without an API key, valid for `LIFETIME`."""
        return self._downloads.signed_url(crawl, export.name, folder=EXPORTS)

    def viewer_url(self, crawl: CrawlId, export: Export) -> str | None:
        """Return a URL that shows a web archive in the viewer, None if there is none."""
        return self._downloads.viewer_url(crawl, export.name) if export.name.endswith(".wacz") else None
