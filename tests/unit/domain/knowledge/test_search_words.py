"""Words by which passages are found, and where texts of languages without spaces are cut."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wavecrawl.domain.knowledge.search_words import MARK, boundaries, marked, places, unmarked, words_of_question
from wavecrawl.domain.knowledge.snippet import marks, snippet

_TEXTS = st.text(st.sampled_from("กขาเ่้ะ ລາວັ ប្រា က်ျ漢字かなカー、。ab1-\n"), max_size=40)


def shown(text: str) -> str:
    return text.replace(MARK, "|")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Plain words, naïve ones and 한국어 문서", "Plain words, naïve ones and 한국어 문서"),
        ("パッケージ管理の方法", "|パ|ッ|ケ|ー|ジ||管|理|の|方|法|"),
        ("apt-getで更新", "apt-get|で|更|新|"),
        ("安装软件包。", "|安|装|软|件|包|。"),
        ("เอกสารนี้", "|เอกสาร||นี้|"),
    ],
)
def test_marks_are_between_the_words_of_languages_without_spaces(text: str, expected: str) -> None:
    assert shown(marked(text)) == expected
    assert unmarked(marked(text)) == text


@given(_TEXTS)
def test_marks_change_nothing_else(text: str) -> None:
    assert unmarked(marked(text)) == text


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("How do I stash? how", "How do I stash how"),
        ("パッケージ管理の方法は", "パ|ッ|ケ|ー|ジ 管|理 理|の の|方 方|法 法|は"),
        ("インストールするには", "イ|ン|ス|ト|ー|ル"),  # pairs of Hiragana are grammar
        ("すること", "す|る る|こ こ|と"),
        ("怎样安装 APT", "怎|样 样|安 安|装 APT"),
        ("ใช้ระบบ", "ใช้ ระบบ"),
        ("字", "字"),
        ("?、", ""),
    ],
)
def test_the_words_of_a_question(question: str, words: str) -> None:
    assert shown(" ".join(words_of_question(question))) == words


@given(_TEXTS)
def test_places_are_those_of_their_words(text: str) -> None:
    found = list(places(text))
    assert [text[place.begin : place.end] for place in found] == [place.word for place in found]
    assert found or not any(char.isalnum() for char in text)


def test_japanese_is_cut_before_words_and_after_their_endings() -> None:
    text = "設定を変える。Debianのサーバ"
    assert [text[:place] for place in boundaries(text)] == [
        "",
        "設定を",
        "設定を変える",
        "設定を変える。Debian",
        "設定を変える。Debianの",
        "設定を変える。Debianのサーバ",
    ]


def test_marks_of_neighbouring_pairs_are_one() -> None:
    assert marks("これはパッケージ管理の本。管理者", "パッケージ管理") == [(3, 10), (13, 15)]
    assert marks("软件包管理器", "软件包管理") == [(0, 5)]


_JAPANESE = "これは最初の文です。" * 20 + "次に、パッケージ管理の方法を説明します。" + "これは最後の文です。" * 20
_CHINESE = "这是第一句话。" * 20 + "然后说明软件包管理的方法。" + "这是最后一句话。" * 20
_THAI = "นี่คือเอกสาร" * 20 + "ระบบจัดการซอฟต์แวร์" + "การรวบรวมข้อมูล" * 20


@pytest.mark.parametrize(
    ("text", "question", "begin"),
    [
        (_JAPANESE, "パッケージ管理", "…パッケージ管理の方法を説明します。これは"),
        (_CHINESE, "软件包管理", "…然后说明软件包管理的方法。这是"),
        (_THAI, "ระบบ", "…ระบบจัดการซอฟต์แวร์การ"),
    ],
)
def test_a_snippet_begins_and_ends_at_words_without_spaces(text: str, question: str, begin: str) -> None:
    found = snippet(text, question, length=60)
    assert found.startswith(begin)
    assert found.endswith("…")
    assert len(found) <= 60
    start = text.index(found.strip("…"))
    assert {start, start + len(found.strip("…"))} <= {*boundaries(text)}


def test_a_snippet_of_the_end_or_of_a_long_part_without_spaces() -> None:
    assert snippet("第一句说明。" * 20 + "最后说明软件包。", "软件包", length=20) == "…第一句说明。最后说明软件包。"
    assert snippet("说" * 80 + "软件包" + "明" * 80, "软件包", length=20) == "…软件包" + "明" * 15 + "…"
    assert snippet("说" * 80 + "软件包", "软件包", length=20) == "…" + "说" * 16 + "软件包"


@given(_TEXTS, _TEXTS, st.integers(10, 60))
def test_snippets_of_any_text_are_short_parts_of_it(text: str, question: str, length: int) -> None:
    found = snippet(text, question, length=length)
    assert len(found) <= length
    assert found.strip("…") in " ".join(text.split())
