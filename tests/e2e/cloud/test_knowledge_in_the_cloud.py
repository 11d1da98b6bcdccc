"""The knowledge index of a deployment: as on one machine, by words, and with vectors of a loopback model."""

import gzip
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import requests
from tests.e2e.cloud.conftest import CONTEXT
from tests.e2e.cloud.test_same_crawl import CONTACT, SETTINGS
from tests.support.aws_models import BUCKET, DIMENSIONS, MODEL, AwsModels, served_models
from tests.support.cloud import API_KEY, SECRET, Service
from tests.support.comparing import fingerprint
from tests.support.crawling import SILENT, on_loopback
from tests.support.deploy import deploy_to_emulator
from tests.support.emulator import started_emulator
from tests.support.media_site import MediaSite, html
from tests.support.patience import HANG, eventually
from tests.support.synthesis import ROOT, synthesized

from wavecrawl.bootstrap.knowledge import index_local_crawl
from wavecrawl.bootstrap.local import run_local_crawl
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.ports.knowledge import CHUNKS

WITH_DOCUMENTS = SETTINGS | {"media": {"include": ["documents"]}}
ARN = f"arn:aws:s3vectors:us-east-1:000000000000:bucket/{BUCKET}"
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
FRUIT = ("apples", "pears", "plums")


def site() -> MediaSite:
    """Return a site with pages about fruit, and a document about a harbour."""
    links = "".join(f"<a href=/{name}>{name}</a>" for name in FRUIT)
    document = (ROOT / "tests" / "data" / "documents" / "pandoc.docx").read_bytes()
    content: dict[str, tuple[str, bytes] | int | str] = {
        f"/{name}": html(f"<main><h1>{name}</h1><p>All about {name} and how to pick them.</p></main>") for name in FRUIT
    }
    content["/"] = html(f"<main><h1>Garden</h1><p>What grows here.</p>{links}<a href=/harbour.docx>doc</a></main>")
    return MediaSite(content | {"/harbour.docx": (DOCX, document)})


def indexed(service: Service, crawl: str) -> bytes:
    """Wait until a crawl is indexed; return the exported passages."""

    def found() -> list[Mapping[str, Any]]:
        listed = service.api("GET", f"/v1/crawls/{crawl}/exports")["exports"]
        return [export for export in listed if export["name"] == CHUNKS]

    assert eventually(found, poll=0.5), "the crawl is not indexed"
    return requests.get(found()[0]["url"], timeout=HANG).content


def paths(service: Service, site: str, question: str, url: str) -> list[str]:
    """Return the paths that a search finds."""
    found = service.api("GET", f"/v1/sites/{site}/search?q={question}")["passages"]
    return [one["url"].removeprefix(url) for one in found]


def test_a_deployment_indexes_crawls_as_one_machine_does(service: Service, tmp_path: Path) -> None:
    with site() as server:
        crawl = service.start(server.url, WITH_DOCUMENTS)
        shown = service.wait_for(crawl)
        assert (shown["status"], shown["error"]) == ("completed", None)
        chunks = indexed(service, crawl)
        store = LocalStore(tmp_path / "here")
        row, _ = run_local_crawl(
            store, store.start(server.url, on_loopback(WITH_DOCUMENTS, contact=CONTACT)), workers=2, watchers=SILENT
        )
        index_local_crawl(store, row)
        (tmp_path / "cloud").mkdir()
        (tmp_path / "cloud" / CHUNKS).write_bytes(chunks)
        here = fingerprint(store.results_folder(row.id), server.origin)[CHUNKS]
        store.close()
        assert fingerprint(tmp_path / "cloud", server.origin)[CHUNKS] == here
        assert len(here) > len(FRUIT)
        assert paths(service, shown["site"], "pilot comes aboard", server.url)[0] == "harbour.docx"
        assert paths(service, shown["site"], "picking pears", server.url)[0] == "pears"

        key = next(one for one in map(json.loads, gzip.decompress(chunks).splitlines()) if "/pears" in one["url"])[
            "key"
        ]
        assert service.response_to("DELETE", f"/v1/crawls/{crawl}/pages/{key}").status_code == 204
        assert eventually(lambda: "pears" not in paths(service, shown["site"], "pears", server.url), poll=0.5)


@pytest.fixture(scope="module")
def models() -> Iterator[AwsModels]:
    with served_models() as served:
        yield served


@pytest.fixture(scope="module")
def with_vectors(models: AwsModels) -> Service:
    """A stack with a model. The emulator has no vector bucket: the template names one of the loopback service."""
    assembly = synthesized(**CONTEXT, embedding_model=MODEL, embedding_dimensions=str(DIMENSIONS))
    (bucket,) = assembly.of_kind("AWS::S3Vectors::VectorBucket")
    text = json.dumps(assembly.template).replace(json.dumps({"Fn::GetAtt": [bucket, "VectorBucketArn"]}), f'"{ARN}"')
    template = json.loads(text)
    del template["Resources"][bucket]
    deployment = deploy_to_emulator(started_emulator().url, assembly.folder, template=template)
    for function in ("index_site", "results"):
        deployment.set_environment(function, models.environment)
    deployment.set_keys(api_keys=[API_KEY], webhook_secrets=[SECRET])
    return Service(deployment=deployment)


def test_vectors_are_stored_once_however_often_a_message_is_delivered(with_vectors: Service, models: AwsModels) -> None:
    service = with_vectors
    with site() as server:
        crawl = service.start(server.url, WITH_DOCUMENTS)
        shown = service.wait_for(crawl)
        passages = {json.loads(line)["id"] for line in gzip.decompress(indexed(service, crawl)).splitlines()}
        assert models.ids() == passages
        embedded = len(models.embedded)
        assert embedded == len(passages)
        answer = service.api("GET", f"/v1/sites/{shown['site']}/search?q=pick+plums&mode=vectors")["passages"]
        assert answer[0]["url"] == f"{server.url}plums"
        assert service.api("GET", f"/v1/crawls/{crawl}")["bill"]["services"]["Bedrock"] > 0

        again = service.start(server.url, WITH_DOCUMENTS)  # nothing has changed
        service.wait_for(again)
        indexed(service, again)
        assert len(models.embedded) == embedded + 1  # the question
        assert models.ids() == passages
