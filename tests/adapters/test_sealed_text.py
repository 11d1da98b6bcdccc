from contextlib import suppress

import pytest

from wavecrawl.adapters.sealed_text import Sealer, is_sealed
from wavecrawl.errors import CorruptDataError

KEY, OTHER = bytes(range(32)), bytes(32)
SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"


@pytest.mark.parametrize("text", ["", "a", SECRET, "ä" * 100])
def test_a_sealed_text_can_be_opened(text: str) -> None:
    sealed = Sealer(KEY).seal(text, "webhook t/w")
    assert Sealer(KEY).open(sealed, "webhook t/w") == text
    assert is_sealed(sealed)
    assert not is_sealed(text)


def test_nothing_of_the_text_is_visible_and_no_two_seals_are_equal() -> None:
    seals = {Sealer(KEY).seal(SECRET, "webhook t/w") for _ in range(20)}
    assert len(seals) == 20
    assert not [seal for seal in seals if SECRET[6:14] in seal]


@pytest.mark.parametrize(("key", "context"), [(OTHER, "webhook t/w"), (KEY, "webhook t/v"), (KEY, "webhook t/")])
def test_another_key_or_context_does_not_open_it(key: bytes, context: str) -> None:
    with pytest.raises(CorruptDataError, match="cannot be decrypted"):
        Sealer(key).open(Sealer(KEY).seal(SECRET, "webhook t/w"), context)


def test_a_changed_seal_does_not_open() -> None:
    sealed = Sealer(KEY).seal(SECRET, "webhook t/w")
    opened: list[str] = []
    for place in range(sealed.rindex(":") + 1, len(sealed) - 2):
        changed = sealed[:place] + ("A" if sealed[place] != "A" else "B") + sealed[place + 1 :]
        with suppress(CorruptDataError):
            opened.append(Sealer(KEY).open(changed, "webhook t/w"))
    assert opened == []


def test_a_sealed_text_names_its_key_which_does_not_reveal_it() -> None:
    sealed = Sealer(KEY).seal(SECRET, "webhook t/w")
    assert sealed.startswith("sealed1:630dcd29:")  # of SHA-256, by sha256sum
    assert Sealer(KEY).sealed(sealed)
    assert not Sealer(OTHER).sealed(sealed)


def test_a_text_of_an_earlier_version_names_no_key_and_can_be_opened() -> None:
    earlier = "sealed1:" + Sealer(KEY).seal(SECRET, "webhook t/w").rpartition(":")[2]
    assert is_sealed(earlier)
    assert not Sealer(KEY).sealed(earlier)
    assert Sealer(KEY).open(earlier, "webhook t/w") == SECRET


def test_a_key_has_32_bytes() -> None:
    with pytest.raises(CorruptDataError, match="32 bytes, not 16"):
        Sealer(KEY[:16])
