"""The offline embedder: WordLlama, whose package contains the model. It is a table of vectors per token (ADR 28)."""

import logging
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from wavecrawl.adapters.knowledge.missing import needed

if TYPE_CHECKING:
    from wordllama.inference import WordLlamaInference

_DIMENSIONS = 256
_CHARACTERS = 40_000
"""Characters embedded at a time, counted as if each text were as long as the longest.

A character has up to 4 tokens, and a token takes 1 KiB of memory.
"""


class WordLlamaEmbedder:
    """`ports.knowledge.Embedder`. The model is loaded at the first text, in half a second."""

    name = "wordllama-l2-supercat"
    dimensions = _DIMENSIONS

    def embed_passages(self, texts: Sequence[str]) -> list[Sequence[float]]:
        """Return the vectors of texts. That of a text without a known token is zero, which is near to nothing."""
        import numpy as np  # noqa: PLC0415 - optional

        vectors: list[Sequence[float]] = []
        for some in _portions(texts):
            means = self._model.embed(some, norm=False, batch_size=len(some))  # its `norm` divides by zero
            lengths = np.linalg.norm(means, axis=1, keepdims=True)
            vectors += list(means / np.where(lengths > 0, lengths, 1))
        return vectors

    def embed_question(self, text: str) -> Sequence[float]:
        """Return the vector of a question."""
        return self.embed_passages([text])[0]

    @cached_property
    def _model(self) -> "WordLlamaInference":
        with needed("wordllama"), _unchanged_logging():
            import wordllama  # noqa: PLC0415 - optional

        # The package has its model in the form of its own cache, but looks there only if it is named so. Without a
        # download, a package without the model fails at once.
        return wordllama.WordLlama.load(cache_dir=wordllama.__path__[0], dim=_DIMENSIONS, disable_download=True)


def _portions(texts: Sequence[str]) -> Iterator[list[str]]:
    """Yield texts to embed at a time, in their order."""
    some: list[str] = []
    longest = 0
    for text in texts:
        longest = max(longest, len(text))
        if some and longest * (len(some) + 1) > _CHARACTERS:
            yield some
            some, longest = [], len(text)
        some.append(text)
    if some:
        yield some


class _unchanged_logging:  # noqa: N801 - used as a context
    """Keep the root logger as it is: wordllama configures it, unless it has a handler."""

    def __init__(self) -> None:
        self._handler = logging.NullHandler()

    def __enter__(self) -> None:
        logging.getLogger().addHandler(self._handler)

    def __exit__(self, *_: object) -> None:
        logging.getLogger().removeHandler(self._handler)
