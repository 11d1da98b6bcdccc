import subprocess

from wavecrawl.domain.urls.cut_urls import cut_url, evidence_of_cut, is_cut, key_of_cut

LONG = "https://example.com/" + "a" * 980
KEY = "0123456789abcdef" * 2


def test_a_url_that_is_not_too_long_is_kept() -> None:
    assert cut_url(LONG, most=1_000) == LONG
    assert not is_cut(LONG)
    assert (key_of_cut(LONG), evidence_of_cut(LONG)) == ("", "")


def test_a_long_url_is_kept_cut_with_its_length_and_key() -> None:
    cut = cut_url(LONG, most=25, key=KEY)
    assert cut == f"https://example.com/aaaaa#cut:1000:{KEY}"
    assert is_cut(cut)
    assert key_of_cut(cut) == KEY
    assert evidence_of_cut(cut) == "it has 1,000 characters, of which 25 are kept"


def test_a_url_without_a_key_is_kept_with_its_own_hash() -> None:
    hashed = subprocess.run(["b2sum", "-l", "128"], input=LONG.encode(), capture_output=True, check=True)
    assert key_of_cut(cut_url(LONG, most=25)) == hashed.stdout.split()[0].decode()


def test_a_fragment_that_looks_similar_is_no_cut() -> None:
    assert key_of_cut("https://example.com/#cut:1:xyz") == ""
    assert evidence_of_cut("https://example.com/#top") == ""
