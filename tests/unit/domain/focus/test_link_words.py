"""Words of link texts."""

import pytest

from wavecrawl.domain.focus.topic import Topic
from wavecrawl.domain.focus.words import link_words, words_of


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Read more, l'été 2024 read", "read more l été #"),
        ("パッケージ管理 第12章、APTの使い方", "パッケージ 管理 第 # 章 apt の使 使い い方"),
        ("软件包管理", "软件 件包 包管 管理"),
        ("เอกสารนี้อธิบายการ web", "เอกสาร นี้ อธิบาย การ web"),
    ],
)
def test_words_of_a_link_text(text: str, words: str) -> None:
    assert words_of(text) == tuple(words.split())


def test_words_of_a_link_and_its_address() -> None:
    assert link_words("https://e.example/guide/install-apt.html", "管理") == ("管理", "install", "apt")


@pytest.mark.parametrize("term", ["パッケージ管理", "软件包", "เอกสาร"])
def test_a_topic_is_found_inside_of_a_link_text(term: str) -> None:
    topic = Topic((term,))
    assert topic.similarity(words_of(f"この{term}の方法"), (), ()) > topic.similarity(words_of("ほかの章"), (), ()) == 0
