"""What the benchmark of structure counts."""

from collections import Counter

from bench.structure import FOLDER, f1, parts_of

TEXT = """# A *title*

Some [text](../b) with `code`.

1. One
   - Two

| Head | |
| --- | --- |
| a<br>b | c |

```python
if x:
    y
```

[^1]: A note.
"""


def test_parts_of_a_text() -> None:
    assert parts_of(TEXT) == {
        "blocks": Counter({("h1", "a title"): 1, ("p", "some text with code"): 1, ("p", "one"): 1, ("p", "two"): 1,
                           ("p", "a note"): 1}),
        "tables": Counter({(True, "head", ""): 1, (False, "a b", "c"): 1}),
        "code": Counter({("if x:",): 1, ("    y",): 1}),
        "lists": Counter({(1, True, "one"): 1, (2, False, "two"): 1}),
        "links": Counter({("text", "https://example.com/b"): 1}),
    }  # fmt: skip


def test_the_score_counts_over_all_pages() -> None:
    one: Counter[tuple[object, ...]] = Counter({("a",): 2})
    two: Counter[tuple[object, ...]] = Counter({("a",): 1, ("b",): 1})
    assert f1([(one, two), (two, two)]) == 2 * (1 + 2) / 8
    assert f1([]) == 0.0


def test_each_page_has_its_markdown() -> None:
    pages = {path.stem for path in FOLDER.glob("*.html")}
    assert pages == {path.stem for path in FOLDER.glob("*.md")}
    assert len(pages) == 40
