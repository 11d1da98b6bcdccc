"""Readable text for generated pages: sentences about an invented trade, different on every page."""

from random import Random

_SUBJECTS = (
    "the tide gauge|the radar sensor|the pressure cell|the harbour station|the data logger|the float well|"
    "the mast unit|the solar panel|the field modem|the review desk|the calibration bench|the archive|"
    "the alarm service|the map view|the weekly report|the import job|the survey team|the levelling staff|"
    "the stilling pipe|the backup link"
).split("|")
_VERBS = (
    "records|checks|forwards|compares|corrects|stores|publishes|filters|measures|reports|averages|signs|replaces|"
    "timestamps|validates|summarises|predicts|delivers|verifies|converts"
).split("|")
_OBJECTS = (
    "the water level|every reading of the day|the air pressure|a gap in the series|the reference mark|"
    "the wave height|the battery voltage|the salinity profile|each outlier|the offset of the datum|"
    "the wind direction|the raw file|the harmonic constants|the flood threshold|the list of stations|"
    "a copy of the settings|the drift of the clock|the surge forecast|the high water of spring tides|"
    "the maintenance log"
).split("|")
_MANNERS = (
    "every six minutes|once an hour|before the evening tide|without a person on site|to the nearest millimetre|"
    "while the link is down|as soon as the boat is moored|after each storm|in coordinated universal time|"
    "within two seconds|on a single battery|for at least ten years|whenever the threshold is crossed|"
    "in both directions|with the cover closed|at the turn of the tide"
).split("|")
_ENDINGS = (
    "so that nothing has to be typed twice|because a missing hour cannot be measured again|even in heavy rain|"
    "and the operator is told at once|which keeps the series comparable|although older stations need a new cable|"
    "unless the station is in service mode|so the forecast can be trusted|and the change is written to the log|"
    "as the handbook describes|which takes about ten minutes|and no tool is needed"
).split("|")
_QUALITIES = "quiet coastal northern shallow remote busy sheltered tidal upper outer seasonal double".split()
_THINGS = (
    "channel estuary harbour jetty lagoon lock marina pier quay reef sluice weir basin buoy ferry causeway".split()
)
_WORDS = (
    "able account across action added address after again against agree allow along already answer appear area "
    "around arrive article balance basic beach become before begin behind below better between beyond board border "
    "bottom bridge bright bring broad build cable calm careful carry cause centre certain change channel chart "
    "check choose clear close coast collect colour common compare complete connect contain control copper correct "
    "cost cover craft create cross current daily danger deliver depth describe detail device direct distance "
    "district draw drift early earth edge effect either electric engine enough enter equal estimate evening event "
    "every example expect explain extra factor farm fence field figure final finish first fit flood floor follow "
    "force forest form forward frame free front full future garden gate gather general gentle give glass grain "
    "gravel great ground group grow guide half hand handle harbour heavy height hold hour house include income "
    "increase index inside instrument island issue join keep kind label land large later layer lead learn length "
    "level light limit line list local long lower machine main make manner many map margin mark market matter "
    "measure medium meet member metal middle minute model modern month morning motion mount narrow nature near "
    "needle network night normal north note number object observe ocean offer office often open order other outer "
    "output over owner panel paper part pass path pattern period pilot pipe place plain plan plant platform point "
    "position power practice prepare present press price problem process produce promise proof proper protect "
    "provide public pump purpose quality quarter question quick quiet railway raise range rapid rather reach ready "
    "reason record reduce region regular repair report require reserve rest result return ring rise river road "
    "rock roof room round route rule safe sail sample scale school screen season second section select sense "
    "series service settle share sheet shelter shore short signal simple single size slope small smooth soil solid "
    "source south space spare special speed spring square stable staff stage standard start state station steady "
    "steel step stone store storm straight stream street strong structure summer supply support surface survey "
    "switch system table take task team test thick thin through timber time total toward tower town track trade "
    "train transfer travel tree trial turn type under union unit upper useful usual valley value vessel view "
    "village visit voice volume wait walk wall warm watch water wave way weather week weight west wheel white "
    "whole wide wind window winter wire wood work world yard year"
).split()


class Prose:
    """A generator of text. The same seed gives the same text."""

    def __init__(self, seed: str) -> None:
        self._random = Random(seed)  # noqa: S311 - text, not secrets

    def sentence(self) -> str:
        """Return one sentence."""
        pick = self._random.choice
        words = f"{pick(_SUBJECTS)} {pick(_VERBS)} {pick(_OBJECTS)} {pick(_MANNERS)}"
        if self._random.random() < 0.5:  # noqa: PLR2004 - every other one
            words += f", {pick(_ENDINGS)}"
        return f"{words[0].upper()}{words[1:]}."

    def paragraph(self, sentences: int = 4) -> str:
        """Return a paragraph of `sentences` sentences."""
        return " ".join(self.sentence() for _ in range(sentences))

    def paragraphs(self, count: int, sentences: int = 4) -> tuple[str, ...]:
        """Return several paragraphs."""
        return tuple(self.paragraph(sentences) for _ in range(count))

    def title(self) -> str:
        """Return a short heading, such as "The quiet estuary"."""
        return f"The {self._random.choice(_QUALITIES)} {self._random.choice(_THINGS)}"

    def words(self, size: int) -> str:
        """Return about `size` characters of text, made of a fixed list of words. Faster than `paragraph`."""
        sentences: list[str] = []
        length = 0
        while length < size:
            words = self._random.choices(_WORDS, k=self._random.randint(7, 16))
            sentence = f"{' '.join(words).capitalize()}."
            sentences.append(sentence)
            length += len(sentence) + 1
        return " ".join(sentences)
