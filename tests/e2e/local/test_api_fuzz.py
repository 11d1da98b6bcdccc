"""Generated requests to every route: no server error, and only documented responses.

The service is `wavecrawl serve` over a folder with a crawled site. Crawls requested here stay queued, and no requests
leave the machine.
"""

from contextlib import closing
from pathlib import Path

import pytest
import requests
from tests.support.campaign import CAMPAIGN, examples, slow
from tests.support.examples import Story, variables_of
from tests.support.fuzzing import fuzz
from tests.support.patience import HANG
from tests.support.serving import answering, served

from wavecrawl.api.server_limits import ServerLimits
from wavecrawl.bootstrap.local_settings import LocalSettings
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.demo.demo_site import demo_site
from wavecrawl.demo.server import SiteServer


@pytest.fixture(name="used", scope="module")
def a_used_folder(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Story]:
    """A folder whose own tenant has a resource of every kind, and the ids of those resources."""
    folder = tmp_path_factory.mktemp("used")
    with SiteServer(demo_site()) as site, served(folder) as service:

        def send(method: str, path: str, **more: object) -> requests.Response:
            return requests.request(method, service.url + path, timeout=HANG, **more)  # type: ignore[arg-type]

        known = {"API": service.url, "API_KEY": service.key, **variables_of(site.url)}
        story = Story(send=send, variables=known)
        story.use_everything(but={"create_tenant_key"})  # the operator's own key stays valid
        story.variables["TENANT_KEY_ID"] = story.variables["KEY_ID"]
    return folder, story


@slow
def test_whatever_is_asked_the_answer_is_a_documented_one(used: tuple[Path, Story], tmp_path: Path) -> None:
    folder, story = used
    longer = ["--max-time", "900"] if CAMPAIGN else []
    phases = "examples,coverage,fuzzing" if CAMPAIGN else "examples,fuzzing"
    store = LocalStore(folder, LocalSettings(requests_a_minute=10**9, wrong_keys_a_minute=10**9))
    with closing(store), answering(store, ServerLimits(threads=4, streams=0)) as (url, _):
        key = story.variables["API_KEY"]
        code, report = fuzz(
            url, key, story.variables, tmp_path, examples=examples(5, long=100), phases=phases, options=longer
        )
    assert code == 0, report
