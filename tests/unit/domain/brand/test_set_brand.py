"""The values of a brand that a person set."""

from wavecrawl.domain.brand.brand import Brand, BrandColour, BrandFont, BrandLogo, SetBrand
from wavecrawl.domain.brand.merging import with_set_values

FOUND = Brand(
    primary=BrandColour(hex="#aa0000", source="css --primary", confidence=0.9),
    background=BrandColour(hex="#ffffff", source="css body", confidence=0.9),
    text=BrandColour(hex="#777777", source="css body", confidence=0.9),
    text_contrast=4.48,
    button_contrast=7.75,
    fonts=(
        BrandFont(family="Rubik", role="body", source="css body", confidence=0.9),
        BrandFont(family="Lora", role="heading", source="css heading", confidence=0.9),
        BrandFont(family="Inter", source="google fonts", confidence=0.8),
    ),
    logo=BrandLogo(url="https://example.com/l.png", source="json-ld", confidence=0.95),
)


def test_without_set_values_the_found_ones_apply() -> None:
    assert with_set_values(FOUND, SetBrand()) == FOUND
    assert with_set_values(None, SetBrand()) == Brand()


def test_set_values_stay_whatever_was_found() -> None:
    values = SetBrand(
        primary="#0000AA", secondary="#111111", accent="#222222", background="#000000", text="#FFFFFF",
        body_font="Fira Sans", heading_font="Fira Slab", logo="https://example.com/new.svg",
    )  # fmt: skip
    for found in (FOUND, None):
        brand = with_set_values(found, values)
        colours = (brand.primary, brand.secondary, brand.accent, brand.background, brand.text)
        assert [(one.hex, one.source, one.confidence) for one in colours if one] == [
            ("#0000aa", "set", 1),
            ("#111111", "set", 1),
            ("#222222", "set", 1),
            ("#000000", "set", 1),
            ("#ffffff", "set", 1),
        ]
        assert (brand.text_contrast, brand.button_contrast) == (21, None)
        assert [font.family for font in brand.fonts] == ["Fira Sans", "Fira Slab", *(["Inter"] if found else [])]
        assert brand.logo == BrandLogo(url="https://example.com/new.svg", source="set", confidence=1)
        assert brand.confidence == 1


def test_one_set_value_leaves_the_others() -> None:
    brand = with_set_values(FOUND, SetBrand(text="#000000"))
    assert (brand.primary, brand.fonts, brand.logo, brand.button_contrast) == (
        FOUND.primary,
        FOUND.fonts,
        FOUND.logo,
        7.75,
    )
    assert (brand.text_contrast, brand.secondary) == (21, None)
