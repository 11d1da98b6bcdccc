"""Secrets of messages that `wavecrawl serve` cannot read."""

import json
from io import StringIO
from pathlib import Path

import pytest
from tests.support.functions import QSTASH_URL
from tests.support.signing import webhook

from wavecrawl.adapters.embedded.message_secrets import MessageSecretFile
from wavecrawl.api.crawl_webhook import CrawlWebhook


def test_secrets_that_cannot_be_read_are_one_line_in_the_log(tmp_path: Path, logged: StringIO) -> None:
    file = tmp_path / "message-secrets.json"
    file.mkdir()  # not a file without permissions, as root reads every file
    service = CrawlWebhook(MessageSecretFile(tmp_path).read, qstash_url=QSTASH_URL, max_body=1_000)
    answer = service.respond(webhook({"url": "http://site.example/"}), lambda *_: pytest.fail("a crawl was started"))
    assert answer["statusCode"] == 503
    assert json.loads(str(answer["body"]))["detail"] == "the service cannot read its data; its log says why"
    (line,) = [json.loads(one) for one in logged.getvalue().splitlines() if "level" in json.loads(one)]
    assert (line["level"], line["message"]) == ("ERROR", "message failed")
    assert line["reason"] == (
        f"{file} cannot be read: Is a directory. It must belong to the user that runs `wavecrawl serve`"
    )
    assert "exception" not in line
