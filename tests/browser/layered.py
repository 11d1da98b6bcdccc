"""Renders a page with the files of the layers alone, as the function render_batch does: run as a program.

Arguments: folder with the layers as in /opt, folder to unpack to, URL of the page, path for the screenshot. Writes one
line of JSON with what was measured.
"""

import json
import os
import re
import sys
import time
from pathlib import Path


def memory_of_tree() -> int:
    """Return the memory of this process and its descendants in kB; shared pages count once (proc(5), smaps_rollup)."""
    parents: dict[int, int] = {}
    for status in Path("/proc").glob("[0-9]*/status"):
        try:
            parents[int(status.parent.name)] = int(re.findall(r"^PPid:\t(\d+)", status.read_text(), re.MULTILINE)[0])
        except OSError:
            continue  # it has ended
    tree = {os.getpid()}
    for pid in sorted(parents):
        if parents[pid] in tree:
            tree.add(pid)
    total = 0
    for pid in tree:
        try:
            text = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii")
        except OSError:
            continue  # as above
        total += int(re.findall(r"^Pss: +(\d+)", text, re.MULTILINE)[0])
    return total


def main(layers: Path, into: Path, url: str, screenshot: Path) -> None:
    """Render a page several times and write what it took."""
    start = time.monotonic()
    from wavecrawl.adapters.browser.unpacking import unpack_browser  # noqa: PLC0415 - part of the cold start

    unpack_browser(into, layers=layers)
    unpacked, cpu = time.monotonic() - start, time.process_time()
    from wavecrawl.adapters.browser.chromium import ChromiumBrowser  # noqa: PLC0415 - as above
    from wavecrawl.domain.rendering.settings import RenderSettings  # noqa: PLC0415
    from wavecrawl.ports.browser import RenderRequest  # noqa: PLC0415

    settings = RenderSettings(settle=0.5)
    browser = ChromiumBrowser(settings=settings, user_agent="wavecrawl/test", allowed=("127.0.0.0/8",))
    body = b'<html><body><div id="root"></div><script src="/app.js"></script></body></html>'
    headers = (("Content-Type", "text/html"),)
    pages, seconds = [], []
    for number in range(4):
        began = time.monotonic()
        request = RenderRequest(url=url, status=200, headers=headers, body=body, screenshot=not number)
        pages.append(browser.render(request))
        seconds.append(round(time.monotonic() - began, 3))
    screenshot.write_bytes(pages[0].screenshot)
    memory = memory_of_tree() // 1_000
    browser.close()
    found = {
        "problems": [page.problem for page in pages],
        "html": pages[-1].html,
        "version": browser.version,
        "executable": browser.executable,
        "node": os.environ.get("PLAYWRIGHT_NODEJS_PATH", ""),
        "unpack_seconds": round(unpacked, 3),
        "unpack_cpu": round(cpu, 3),
        "seconds": seconds,
        "mb": memory,
        "unpacked_mb": sum(one.stat().st_size for one in into.iterdir() if not one.is_symlink()) // 1_000_000,
    }
    print(json.dumps(found))  # noqa: T201


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3], Path(sys.argv[4]))
