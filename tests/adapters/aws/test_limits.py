"""Values that exceed a limit, and conflicts with other writers."""

from random import Random
from typing import Any

import msgspec
import pytest
from botocore.exceptions import ClientError
from tests.adapters.aws.conftest import Cloud

from wavecrawl.adapters.aws.host_gate import DynamoHostGate
from wavecrawl.adapters.aws.objects import Bucket
from wavecrawl.adapters.aws.robots_cache import DynamoRobotsCache
from wavecrawl.adapters.aws.table import Table
from wavecrawl.domain.politeness.host_state import HostState
from wavecrawl.domain.politeness.robots import RobotsFile
from wavecrawl.domain.politeness.windows import Turns
from wavecrawl.errors import PermanentError, StoreBusyError

ORIGIN = "https://example.com"


def robots(body: bytes) -> RobotsFile:
    return RobotsFile(origin=ORIGIN, fetched_at=5.0, status=200, body=body)


def test_a_large_robots_file_is_kept_packed(cloud: Cloud) -> None:
    file = robots(b"Disallow: /private/directory\n" * 17_000)
    DynamoRobotsCache(cloud.table).write(file)
    assert DynamoRobotsCache(cloud.table).read(ORIGIN) == file


def test_a_robots_file_that_no_row_can_hold_displaces_the_old_one(cloud: Cloud) -> None:
    cache = DynamoRobotsCache(cloud.table)
    cache.write(robots(b"Disallow: /"))
    cache.write(robots(Random(1).randbytes(500 * 1024)))
    assert cache.read(ORIGIN) is None


class Contested:
    """An S3 client that reports a concurrent write of the object, a number of times."""

    def __init__(self, code: str, times: int) -> None:
        self.code = code
        self.times = times

    def put_object(self, **_: object) -> dict[str, Any]:
        if self.times:
            self.times -= 1
            raise ClientError({"Error": {"Code": self.code, "Message": ""}}, "PutObject")
        return {"ETag": '"1"'}


def bucket(code: str, times: int) -> Bucket:
    return Bucket(Contested(code, times), "b", sleep=lambda _: None)  # type: ignore[arg-type]  # the part that is used


def test_a_write_of_a_new_object_waits_for_a_concurrent_one() -> None:
    assert bucket("ConditionalRequestConflict", 3).put_new("k", b"1")
    with pytest.raises(StoreBusyError, match="others were writing it"):
        bucket("ConditionalRequestConflict", 1_000).put_new("k", b"1")


def test_a_refused_object_is_an_error() -> None:
    with pytest.raises(PermanentError, match="s3://b/k"):
        bucket("AccessDenied", 1).put_new("k", b"1")
    with pytest.raises(PermanentError, match="s3://b/k"):
        bucket("AccessDenied", 1).put("k", b"1")


class Outrun:
    """A table in which another worker always writes first."""

    def __init__(self) -> None:
        self.puts = 0

    def get_item(self, **_: object) -> dict[str, Any]:
        return {}

    def put_item(self, **_: object) -> dict[str, Any]:
        self.puts += 1
        row = {"version": {"N": str(self.puts)}, "packed": {"B": msgspec.msgpack.encode(HostState(host="h"))}}
        refused: Any = {"Error": {"Code": "ConditionalCheckFailedException", "Message": ""}, "Item": row}
        raise ClientError(refused, "PutItem")


def test_who_is_outrun_again_and_again_says_so() -> None:
    outrun = Outrun()
    hosts = DynamoHostGate(Table(outrun, "t"), sleep=lambda _: None)  # type: ignore[arg-type]  # the part that is used
    with pytest.raises(StoreBusyError, match="HOST#h: its row was changed"):
        hosts.reserve("h", Turns(holder="a", count=1, interval=1.0), now=0.0)
    assert outrun.puts == 50
