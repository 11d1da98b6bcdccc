from wavecrawl.domain.crawl.references import NO_REFERENCES, References

A, B = "a" * 32, "b" * 32
PLACES = {key: f"tenants/t/sites/s/crawls/c/records/000001-0001-1.jsonl.gz#{key}" for key in (A, B)}
SHOTS = {key: f"tenants/t/sites/s/crawls/c/screenshots/{key}.jpg" for key in (A, B)}


def of(*keys: str) -> References:
    return References(places=frozenset(PLACES[key] for key in keys), screenshots=frozenset(SHOTS[key] for key in keys))


def test_references_of_two_crawls_are_joined() -> None:
    assert of(A) | of(B) == of(A, B)
    assert of(A) | NO_REFERENCES == of(A)


def test_those_of_deleted_pages_are_left_out() -> None:
    assert of(A, B).without({A}) == of(B)
    assert of(A, B).without(frozenset()) == of(A, B)
