"""The questions of bench/knowledge.py: each named page exists, and has the phrase that answers."""

import json
import os
import re
from collections import Counter
from pathlib import Path

import pytest
from selectolax.lexbor import LexborHTMLParser
from tests.support.docs_sites import MANUALS

DATA = Path(__file__).parents[2] / "bench" / "data"
QUESTIONS = DATA / "questions.json"
REFERENCE = Path("/usr/share/debian-reference")


def text_of(path: Path) -> str:
    body = LexborHTMLParser(path.read_text(encoding="utf-8", errors="replace")).body
    assert body is not None
    return " ".join(body.text().split())


def test_every_page_that_answers_a_question_has_its_phrase() -> None:
    folders = {site.package: site.folder for site in MANUALS if site.there}
    questions = json.loads(QUESTIONS.read_text(encoding="utf-8"))["questions"]
    assert Counter(one["site"] for one in questions) == {site.package: 30 for site in MANUALS}
    assert len({one["question"] for one in questions}) == 120
    if len(folders) < len(MANUALS):
        (pytest.fail if os.environ.get("CI") else pytest.skip)("the documentation packages are not installed")
    wanted = [(one["site"], page, phrase) for one in questions for page, phrase in one["answers"].items()]
    texts = {(site, page): text_of(folders[site] / page) for site, page, _ in wanted}
    missing = [(page, phrase) for site, page, phrase in wanted if re.sub(r"\s+", " ", phrase) not in texts[site, page]]
    assert missing == []


def test_every_page_that_answers_a_question_without_spaces_has_its_phrase() -> None:
    questions = json.loads((DATA / "questions-without-spaces.json").read_text(encoding="utf-8"))["questions"]
    languages = {"debian-reference-ja": "ja", "debian-reference-zh-cn": "zh-cn"}
    assert Counter(one["site"] for one in questions) == dict.fromkeys(languages, 20)
    assert len({one["question"] for one in questions}) == 40
    answers = [(page, phrase, languages[one["site"]]) for one in questions for page, phrase in one["answers"].items()]
    assert all(page.endswith(f".{language}.html") for page, _, language in answers)
    if not all((REFERENCE / f"ch01.{language}.html").is_file() for language in languages.values()):
        pytest.skip("the packages debian-reference-ja and debian-reference-zh-cn are not installed")
    texts = {page: text_of(REFERENCE / page) for page, _, _ in answers}
    assert [(page, phrase) for page, phrase, _ in answers if phrase not in texts[page]] == []
