import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from uuid import NAMESPACE_URL, uuid5

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from moto import mock_aws
from tests.contract.stores import moto_clients
from tests.support.emulator import CREDENTIALS, new_bucket
from tests.support.functions import environment_of
from tests.support.knowledge import SITE, knowledge_ports, source

from wavecrawl.adapters.aws.objects import Bucket
from wavecrawl.adapters.aws.passages import S3Passages
from wavecrawl.adapters.knowledge.site_files import knowledge_folder
from wavecrawl.domain.knowledge.passage import Passage, SiteId
from wavecrawl.ports.knowledge import CrawlTexts, IndexedPage, IndexRun, IndexState, Passages, Space

OTHERS = (SiteId(tenant="u", site="example.com"), SiteId(tenant="t", site="other.example"))


def indexed(key: str, *texts: str, title: str = "", crawl: str = "c1") -> IndexedPage:
    page = source(key, "\n\n".join(texts), title=title, crawl=crawl)
    passages = tuple(
        Passage(
            id=str(uuid5(NAMESPACE_URL, f"{page.url} {page.content_hash} {position}")),
            key=key,
            url=f"{page.url}#part-{position}" if position else page.url,
            title=page.title,
            headings=("Top", "Part") if position else (),
            text=text,
            markdown=f"## Part\n\n{text}",
            position=position,
        )
        for position, text in enumerate(texts)
    )
    return IndexedPage(key=key, content_hash=page.content_hash, crawl=crawl, passages=passages)


@pytest.fixture(params=["sqlite", "s3"])
def passages(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Passages]:
    if request.param == "sqlite":
        yield knowledge_ports(tmp_path).passages
        return
    with mock_aws(), environment_of(CREDENTIALS):
        clients = moto_clients()
        yield S3Passages(Bucket(clients.s3, new_bucket(clients)), tmp_path, most_bytes=0)


@pytest.fixture
def stack_bucket() -> Iterator[Bucket]:
    with mock_aws(), environment_of(CREDENTIALS):
        clients = moto_clients()
        yield Bucket(clients.s3, new_bucket(clients))


def texts(passages: Passages, ids: list[str], site: SiteId = SITE) -> list[str]:
    found = passages.get(site, ids)
    return [found[id_].text for id_ in ids]


def test_a_site_without_an_index_is_empty(passages: Passages) -> None:
    assert passages.state(SITE) is None
    assert passages.hashes(SITE) == {}
    assert passages.matching(SITE, "x", limit=9) == []
    assert passages.matching_pages(SITE, "x", limit=9) == []
    assert passages.get(SITE, ["x"]) == {}
    assert passages.ids_of(SITE, ["x"]) == []
    assert list(passages.all(SITE)) == []
    passages.remove(SITE, ["x"])
    passages.outdate(SITE)
    assert passages.state(SITE) is None


def test_the_state_is_kept(passages: Passages) -> None:
    state = IndexState(space=Space(site=SITE, embedder="e", dimensions=3), rules="1", is_open=True)
    passages.set_state(SITE, state)
    assert passages.state(SITE) == state
    run = IndexRun(texts=CrawlTexts(crawl="c2", resumes=1), pages=7, seconds=1.5, problem="too slow")
    state = IndexState(space=None, rules="2", is_open=False, made_of=CrawlTexts(crawl="c1"), run=run)
    passages.set_state(SITE, state)
    assert passages.state(SITE) == state


def test_the_state_of_an_earlier_version_is_read(tmp_path: Path) -> None:
    passages = knowledge_ports(tmp_path).passages
    passages.set_state(SITE, IndexState(space=None, rules="1", is_open=False))
    with sqlite3.connect(knowledge_folder(tmp_path, SITE) / "passages.sqlite") as db:
        db.execute("UPDATE state SET packed = ?", (b"\x83\xa5space\xc0\xa5rules\xa11\xa7is_open\xc2",))
    db.close()
    assert passages.state(SITE) == IndexState(space=None, rules="1", is_open=False, is_whole=True)


def test_passages_come_back_as_they_were_stored(passages: Passages) -> None:
    page = indexed("a", "Top", "One.\n\nPart", "Two.", title="A title")
    passages.replace(SITE, [page, indexed("b", "Other.", crawl="c2")])
    ids = [one.id for one in page.passages]
    assert passages.ids_of(SITE, ["a"]) == ids
    assert passages.get(SITE, [*ids, "unknown"]) == {one.id: one for one in page.passages}
    assert passages.hashes(SITE)["a"] == page.content_hash
    everything: list[tuple[str, str, Passage]] = [(one.key, one.crawl, passage) for one, passage in passages.all(SITE)]
    assert [(key, crawl, one.text) for key, crawl, one in everything] == [
        ("a", "c1", "Top"),
        ("a", "c1", "One.\n\nPart"),
        ("a", "c1", "Two."),
        ("b", "c2", "Other."),
    ]


def test_a_passage_of_an_earlier_version_is_shown_as_its_text(tmp_path: Path) -> None:
    passages = knowledge_ports(tmp_path).passages
    page = indexed("a", "One.", "Two.")
    passages.replace(SITE, [page])
    with closing(sqlite3.connect(knowledge_folder(tmp_path, SITE) / "passages.sqlite")) as db, db:
        db.execute("DROP TABLE form")
    found = passages.get(SITE, [one.id for one in page.passages])
    assert [(one.url, one.markdown) for one in found.values()] == [
        ("https://example.com/a", "One."),
        ("https://example.com/a", "Two."),
    ]
    passages.replace(SITE, [page])
    assert passages.get(SITE, [page.passages[1].id]) == {page.passages[1].id: page.passages[1]}


def test_what_an_earlier_version_wrote_into_the_file_has_its_own_text(tmp_path: Path) -> None:
    """It gives the numbers of deleted passages to others, and leaves the rows of their Markdown."""
    passages = knowledge_ports(tmp_path).passages
    passages.replace(SITE, [indexed("a", "One.")])
    other = indexed("b", "Two.")
    with closing(sqlite3.connect(knowledge_folder(tmp_path, SITE) / "passages.sqlite")) as db, db:
        kept = db.execute("SELECT * FROM form").fetchall()
    passages.replace(SITE, [indexed("a")])
    passages.replace(SITE, [other])
    with closing(sqlite3.connect(knowledge_folder(tmp_path, SITE) / "passages.sqlite")) as db, db:
        db.execute("DELETE FROM form")
        db.executemany("INSERT INTO form VALUES (?, ?, ?, ?)", kept)
    (found,) = passages.get(SITE, [other.passages[0].id]).values()
    assert (found.text, found.markdown) == ("Two.", "Two.")
    passages.replace(SITE, [indexed("b")])
    last = indexed("c", "Three.")
    passages.replace(SITE, [last])
    assert [one for _, one in passages.all(SITE)] == list(last.passages)


def test_words_are_found_in_other_forms_the_best_passage_first(passages: Passages) -> None:
    passages.replace(
        SITE, [indexed("a", "Stash your changes.", "Nothing."), indexed("b", "A change of plans, stashed.")]
    )
    found = texts(passages, passages.matching(SITE, "stashing changed change", limit=9))
    assert sorted(found) == ["A change of plans, stashed.", "Stash your changes."]
    assert len(passages.matching(SITE, "change", limit=1)) == 1
    assert texts(passages, passages.matching(SITE, "change", limit=9, pages=["b"])) == ["A change of plans, stashed."]
    assert passages.matching(SITE, "change", limit=9, pages=[]) == []


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("この章ではパッケージ管理の仕組みを説明します。", "パッケージ管理"),
        ("リレーショナルデータベースの設定", "データベース"),  # inside of a longer word
        ("本章介绍软件包管理器。", "怎样管理软件包"),
        ("เอกสารนี้อธิบายการรวบรวมข้อมูล", "รวบรวมข้อมูลอย่างไร"),
        ("ប្រជាជនភាគច្រើនកាន់សាសនា", "ភាគច្រើន"),
        ("ປະເທດທີ່ຕັ້ງຢູ່ໃນເຂດອາຊີ", "ປະເທດ"),
        ("ရန်ကုန်မြို့သည်၊ အကြီးဆုံးမြို့", "အကြီး"),
        ("हिन्दी में लिखा हुआ", "हिन्दी"),
    ],
)
def test_words_without_spaces_around_them_are_found(passages: Passages, text: str, question: str) -> None:
    passages.replace(SITE, [indexed("a", text, title=text), indexed("b", "字カก and other words")])
    found = passages.matching(SITE, question, limit=9)
    assert texts(passages, found) == [text]
    assert passages.matching_pages(SITE, question, limit=9) == ["a"]
    assert [one.title for one in passages.get(SITE, found).values()] == [text]
    passages.replace(SITE, [indexed("a", "plain")])
    assert passages.matching(SITE, question, limit=9) == passages.matching_pages(SITE, question, limit=9) == []


def test_titles_count_more_than_texts(passages: Passages) -> None:
    passages.replace(SITE, [indexed("a", "The tag is here."), indexed("b", "Here.", title="About tag")])
    assert texts(passages, passages.matching(SITE, "tag", limit=9))[0] == "Here."


def test_a_page_matches_as_a_whole(passages: Passages) -> None:
    passages.replace(SITE, [indexed("a", "red", "green"), indexed("b", "red", "blue"), indexed("c", "yellow")])
    assert passages.matching_pages(SITE, "green red", limit=9) == ["a", "b"]
    passages.replace(SITE, [indexed("a", "black"), indexed("d", "green")])
    assert passages.matching_pages(SITE, "green", limit=9) == ["d"]
    passages.remove(SITE, ["b", "d", "unknown"])
    assert passages.matching_pages(SITE, "green red blue", limit=9) == []
    assert passages.matching_pages(SITE, "black", limit=9) == ["a"]


def test_new_passages_of_a_page_replace_its_earlier_ones(passages: Passages) -> None:
    passages.replace(SITE, [indexed("a", "first", "second"), indexed("b", "first")])
    passages.replace(SITE, [indexed("a", "third")])
    assert sorted(texts(passages, passages.matching(SITE, "first second third", limit=9))) == ["first", "third"]
    passages.replace(SITE, [indexed("a")])
    assert passages.ids_of(SITE, ["a"]) == []
    assert {*passages.hashes(SITE)} == {"a", "b"}
    passages.remove(SITE, ["a"])
    assert {*passages.hashes(SITE)} == {"b"}


def test_pages_belong_to_the_crawl_that_saw_them_last(passages: Passages) -> None:
    passages.replace(SITE, [indexed("a", "one"), indexed("b", "two")])
    passages.seen(SITE, ["b", "unknown"], crawl="c2")
    assert passages.keys_of_crawl(SITE, "c1") == ["a"]
    assert passages.keys_of_crawl(SITE, "c2") == ["b"]


def test_each_site_has_its_own_passages(passages: Passages) -> None:
    page = indexed("a", "secret")
    passages.replace(SITE, [page])
    for other in OTHERS:
        assert passages.matching(other, "secret", limit=9) == []
        assert passages.get(other, [page.passages[0].id]) == {}
        passages.remove(other, ["a"])
        passages.outdate(other)
    assert {*passages.hashes(SITE).values()} == {page.content_hash}
    assert texts(passages, passages.matching(SITE, "secret", limit=9)) == ["secret"]


def test_outdated_pages_are_found_but_have_no_hash(passages: Passages) -> None:
    passages.replace(SITE, [indexed("a", "secret"), indexed("b", "other")])
    passages.outdate(SITE)
    assert passages.hashes(SITE) == {"a": "", "b": ""}
    assert texts(passages, passages.matching(SITE, "secret", limit=9)) == ["secret"]
    page = indexed("a", "secret")
    passages.replace(SITE, [page])
    assert passages.hashes(SITE) == {"a": page.content_hash, "b": ""}


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(st.text(alphabet=st.one_of(st.characters(), st.sampled_from('"*()^:-+ANDORNOT{}'))))
def test_any_text_is_a_valid_question(passages: Passages, question: str) -> None:
    passages.replace(SITE, [indexed("a", "AND or NOT a word")])
    assert len(passages.matching(SITE, question, limit=9)) <= 1
    assert len(passages.matching_pages(SITE, question, limit=9)) <= 1


@pytest.mark.parametrize("question", ['"', "a AND", "NEAR(", "text:", "*", "x OR", "\x00", "", "_", "²"])
def test_operators_of_the_query_language_are_words(passages: Passages, question: str) -> None:
    passages.replace(SITE, [indexed("a", "near a text and x")])
    assert len(passages.matching(SITE, question, limit=9)) <= 1


def test_a_search_does_not_wait_for_a_writer(passages: Passages, tmp_path: Path) -> None:
    passages.replace(SITE, [indexed("a", "secret")])
    with sqlite3.connect(knowledge_folder(tmp_path, SITE) / "passages.sqlite", isolation_level=None) as writer:
        writer.execute("BEGIN IMMEDIATE")
        writer.execute("DELETE FROM page")
        assert texts(passages, passages.matching(SITE, "secret", limit=9)) == ["secret"]
        assert {*passages.hashes(SITE)} == {"a"}
        writer.execute("ROLLBACK")
    writer.close()


def test_what_is_committed_is_there_for_another_process(stack_bucket: Bucket, tmp_path: Path) -> None:
    first, second = (S3Passages(stack_bucket, tmp_path / name, most_bytes=0) for name in ("first", "second"))
    state = IndexState(space=None, rules="1", is_open=False)
    assert second.state(SITE) is None
    first.replace(SITE, [indexed("a", "apples are red")])
    first.set_state(SITE, state)
    assert second.state(SITE) is None
    first.commit(SITE)
    first.commit(SITE)  # nothing has changed
    assert second.state(SITE) == state
    assert texts(second, second.matching(SITE, "apples", limit=1)) == ["apples are red"]
    second.replace(SITE, [indexed("a", "apples are green")])
    second.discard(SITE)
    assert texts(second, second.matching(SITE, "apples", limit=1)) == ["apples are red"]


def test_copies_that_were_not_used_for_long_are_deleted(stack_bucket: Bucket, tmp_path: Path) -> None:
    passages = S3Passages(stack_bucket, tmp_path, most_bytes=1)
    for site in (SITE, *OTHERS):
        passages.replace(site, [indexed("a", "apples are red")])
        passages.commit(site)
        assert passages.matching(site, "apples", limit=1)
    assert len(list(tmp_path.rglob("passages.sqlite"))) == 1
    assert passages.matching(SITE, "apples", limit=1)  # it is copied again
