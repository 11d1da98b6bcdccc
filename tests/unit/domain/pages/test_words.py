"""Words of languages with and without spaces. Of the languages with dictionaries, they are those that ICU 78 finds."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wavecrawl.domain.pages.dictionaries import SCRIPTS, dictionary
from wavecrawl.domain.pages.extraction import extract
from wavecrawl.domain.pages.simhash import similarity
from wavecrawl.domain.pages.words import words_of


@pytest.mark.parametrize(
    ("text", "words", "count"),
    [
        ("one two, three\n4", "one two, three 4", 4),
        ("", "", 0),
        ("l'été \u201cdéjà\u201d мир 한국어 문서", "l'été \u201cdéjà\u201d мир 한국어 문서", 5),
        ("公布之日起施行\uff0c任何单位", "公布 布之 之日 日起 起施 施行 任何 何单 单位", 6),
        ("第1条\uff1aAPI v2\uff08修订\uff09。", "第 1 条 API v2 修订", 6),
        ("この文書では、ウェブサイトの巡回", "この の文 文書 書で では ウェブサイト の巡 巡回", 6),
        ("字", "字", 1),
        ("𠮷野家", "𠮷野 野家", 2),
        ("เอกสารนี้อธิบายการรวบรวมข้อมูล web", "เอกสาร นี้ อธิบาย การ รวบรวม ข้อมูล web", 7),
        ("กรุงเทพมหานครเป็นเมืองหลวง", "กรุงเทพมหานคร เป็น เมือง หลวง", 4),
        ("ປະເທດທີ່ຕັ້ງຢູ່ໃນເຂດອາຊີ", "ປະເທດ ທີ່ຕັ້ງ ຢູ່ໃນ ເຂດ ອາຊີ", 5),
        ("ប្រជាជនភាគច្រើនកាន់សាសនា។", "ប្រជាជន ភាគច្រើន កាន់សាសនា", 3),
        ("ရန်ကုန်မြို့သည်၊ အကြီးဆုံးမြို့", "ရန် ကုန် မြို့ သည် အကြီး ဆုံး မြို့", 7),
        ("ฮฮฮฮ", "ฮฮฮฮ", 1),
        ("ฮฮฮการฮฮ", "ฮฮฮ การ ฮฮ", 3),
    ],
)
def test_words_of_a_text(text: str, words: str, count: int) -> None:
    found = words_of(text)
    assert (" ".join(found.found), found.count) == (words, count)


@given(st.text(st.sampled_from("กขาเ่้ะ ລາວັ ប្រា က်ျ漢字かなカー、。ab1"), max_size=30))
def test_no_letter_is_lost(text: str) -> None:
    letters = [character for character in text if character not in " 、。"]
    found = words_of(text)
    assert set("".join(found.found)) - {*"、。"} == set(letters)
    assert found.count <= max(len(text), 1)
    assert found.count or not letters


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_dictionary_splits_its_own_words(name: str) -> None:
    found = dictionary(name)
    words = sorted(found.words)[::997]
    assert len(words) > 20
    assert [found.split(word) for word in words] == [[word] for word in words]


def paragraphs(*changed: str) -> str:
    subjects = "土地 房屋 道路 河流 森林 矿山 草原 海域 湿地 文物".split()
    rule = "任何单位和个人不得擅自改变{}的用途\uff0c违反者由主管部门责令改正并处以罚款\uff0c情节严重的依法追究责任。"
    rules = [*map(rule.format, subjects[: len(subjects) - len(changed)]), *changed]
    return "<main>" + "".join(f"<p>{text}</p>" for text in rules)


def test_a_chinese_page_with_a_changed_paragraph_is_similar_and_another_page_is_not() -> None:
    other = ["搜索引擎读取大量网页\uff0c并尝试理解其中的内容\uff0c以便回答人们提出的各种问题。" * 2] * 9
    pages = (paragraphs(), paragraphs("本条例自公布之日起施行。"), paragraphs(*other))
    one, near, far = (extract(html, url="https://example.com/").facts for html in pages)
    assert one.word_count > 200
    assert similarity(one.simhash, near.simhash) > 0.85
    assert similarity(one.simhash, far.simhash) < 0.85
