import pytest

from wavecrawl.domain.urls.templates import parameter_names, template_of

SITE = "https://site.example"


@pytest.mark.parametrize(
    ("path", "template"),
    [
        ("/", "/"),
        ("/docs/install.html", "/docs/install.html"),
        ("/docs/3.11/library/", "/docs/{n}.{n}/library/"),
        ("/page/12", "/page/{n}"),
        ("/item-12-b", "/item-{n}-b"),
        ("/blog/2026/03/01/", "/blog/{n}/{n}/{n}/"),
        ("/12//", "/{n}//"),
        ("/cal/2026-03", "/cal/{date}"),
        ("/cal/2026-03-01", "/cal/{date}"),
        ("/cal/20260301", "/cal/{date}"),
        ("/cal/2026-13", "/cal/{n}-{n}"),
        ("/o/123e4567-e89b-12d3-a456-426614174000", "/o/{uuid}"),
        ("/commit/9fceb02d0ae598e95dc970b74767f19372d61af8", "/commit/{hex}"),
        ("/s/aZ81kQ0pLm29XyT4", "/s/{token}"),
        ("/defaced", "/defaced"),  # hexadecimal digits, but a word
        ("/blog/a-walk-along-the-coast", "/blog/{slug}"),
        ("/blog/a-walk-along-the-coast.html", "/blog/{slug}.html"),
        ("/blog/three-short-words", "/blog/three-short-words"),
        (f"/{'a' * 40}", "/{slug}"),
        ("/view?b=2&a=1", "/view?a&b"),
        ("/view?a=1&a=2", "/view?a"),
        ("/view?flag", "/view?flag"),
    ],
)
def test_variable_parts_become_placeholders(path: str, template: str) -> None:
    assert template_of(SITE + path) == SITE + template


def test_the_host_and_its_port_stay() -> None:
    assert template_of("http://127.0.0.1:8080/page/2") == "http://127.0.0.1:8080/page/{n}"
    assert template_of("http://127.0.0.1:8080") == "http://127.0.0.1:8080"


def test_parameter_names_are_sorted_and_unique() -> None:
    assert parameter_names("size=l&color=red&size=m") == ["color", "size"]
