"""What follows from the URL of a media file or a player."""

import duckdb
import pytest

from wavecrawl.adapters.analytics.media_columns import DERIVED

ID = "dQw4w9WgXcQ"
PICTURE = f"https://i.ytimg.com/vi/{ID}/hqdefault.jpg"


def derived(url: str, kind: str) -> dict[str, str]:
    columns = ", ".join(f"{value} AS {name}" for name, value in DERIVED.items())
    with duckdb.connect() as db:
        row = db.execute(f"SELECT {columns} FROM (SELECT ? AS url, ? AS kind)", [url, kind]).fetchone()  # noqa: S608
    assert row is not None
    return dict(zip(DERIVED, row, strict=True))


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("https://site.example/a/report.pdf?v=/2#part/3", "report.pdf"),
        ("https://site.example/Bild%20%C3%A4+1.png", "Bild ä+1.png"),
        ("https://site.example/%ff.png", "%ff.png"),
        ("https://site.example/a%2F..%5Cb%00%0a.png", "b.png"),
        ("https://site.example/", ""),
    ],
)
def test_a_file_is_named_by_the_last_part_of_its_path(url: str, name: str) -> None:
    assert derived(url, "image") == {"file_name": name, "provider": "", "thumbnail": "", "embed_code": ""}


@pytest.mark.parametrize(
    ("url", "provider", "picture"),
    [
        (f"https://www.youtube.com/embed/{ID}?start=3&rel=0", "youtube", PICTURE),
        (f"https://www.youtube-nocookie.com/embed/{ID}", "youtube", PICTURE),
        (f"https://youtu.be/{ID}", "youtube", PICTURE),
        ("https://www.youtube.com/embed/videoseries?list=1", "youtube", ""),
        ("https://player.vimeo.com/video/1", "vimeo", ""),
    ],
)
def test_a_player_has_what_shows_it_elsewhere(url: str, provider: str, picture: str) -> None:
    code = f'<iframe src="{url.replace("&", "&amp;")}" allowfullscreen></iframe>'
    assert derived(url, "embed") == {
        "file_name": "", "provider": provider, "thumbnail": picture, "embed_code": code,
    }  # fmt: skip
