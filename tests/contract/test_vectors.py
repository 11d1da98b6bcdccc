from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.support.vector_stores import STORES

from wavecrawl.domain.knowledge.passage import SiteId
from wavecrawl.ports.knowledge import Space, Vectors

SPACE = Space(site=SiteId(tenant="t", site="example.com"), embedder="e", dimensions=3)
IDS = [f"00000000-0000-0000-0000-{number:012d}" for number in range(600)]
A, B, C = IDS[:3]


@pytest.fixture(params=STORES)
def vectors(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Vectors]:
    with STORES[request.param](tmp_path) as store:
        yield store


def test_an_empty_space_has_nothing_near(vectors: Vectors) -> None:
    assert vectors.nearest(SPACE, [1.0, 0.0, 0.0], limit=5) == []
    assert list(vectors.ids(SPACE)) == []
    vectors.delete(SPACE, [A])
    vectors.drop(SPACE)


def test_the_nearest_come_first(vectors: Vectors) -> None:
    vectors.put(SPACE, {A: [1.0, 0.0, 0.0], B: [0.6, 0.8, 0.0], C: [0.0, 0.0, 1.0]})
    assert vectors.nearest(SPACE, [0.0, 1.0, 0.0], limit=1) == [B]
    assert vectors.nearest(SPACE, [0.8, 0.6, 0.0], limit=2) == [B, A]
    assert vectors.nearest(SPACE, [0.0, 0.6, 0.8], limit=100)[:2] == [C, B]


def test_vectors_are_replaced_and_deleted(vectors: Vectors) -> None:
    vectors.put(SPACE, {A: [1.0, 0.0, 0.0], B: [0.0, 1.0, 0.0]})
    assert vectors.nearest(SPACE, [1.0, 0.0, 0.0], limit=1) == [A]
    vectors.put(SPACE, {A: [0.0, 0.0, 1.0], B: [1.0, 0.0, 0.0]})
    assert vectors.nearest(SPACE, [1.0, 0.0, 0.0], limit=1) == [B]
    vectors.delete(SPACE, [B, C])
    assert list(vectors.ids(SPACE)) == [A]
    assert vectors.nearest(SPACE, [1.0, 0.0, 0.0], limit=5) == [A]


def test_more_vectors_than_one_request_takes(vectors: Vectors) -> None:
    vectors.put(SPACE, {id_: [1.0, number / 1000, 0.0] for number, id_ in enumerate(IDS)})
    assert sorted(vectors.ids(SPACE)) == IDS
    assert len(vectors.nearest(SPACE, [1.0, 0.0, 0.0], limit=100)) == 100
    vectors.delete(SPACE, IDS[1:])
    assert list(vectors.ids(SPACE)) == IDS[:1]


def test_spaces_are_apart(vectors: Vectors) -> None:
    sites = (SiteId(tenant="u", site="example.com"), SiteId(tenant="t", site="other.example"))
    others = [*(replace(SPACE, site=site) for site in sites), replace(SPACE, embedder="f")]
    vectors.put(SPACE, {A: [1.0, 0.0, 0.0]})
    for other in others:
        assert vectors.nearest(other, [1.0, 0.0, 0.0], limit=5) == []
        vectors.delete(other, [A])
        vectors.put(other, {B: [1.0, 0.0, 0.0]})
        assert list(vectors.ids(other)) == [B]
        vectors.drop(other)
    assert vectors.nearest(SPACE, [1.0, 0.0, 0.0], limit=5) == [A]
    vectors.drop(SPACE)
    assert list(vectors.ids(SPACE)) == []
