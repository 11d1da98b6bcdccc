"""The offline embedder: WordLlama, whose package contains the model. It is a table of vectors per token (ADR 28)."""

import logging
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from wavecrawl.adapters.knowledge.missing import needed

if TYPE_CHECKING:
    from wordllama.inference import WordLlamaInference

_DIMENSIONS = 256
_TEXTS = 32  # at a time: each text takes the memory of the longest, 1 KiB per token


class WordLlamaEmbedder:
    """`ports.knowledge.Embedder`. The model is loaded at the first text, in half a second."""

    name = "wordllama-l2-supercat"
    dimensions = _DIMENSIONS

    def embed_passages(self, texts: Sequence[str]) -> list[Sequence[float]]:
        """Return the vectors of texts. That of a text without a known token is zero, which is near to nothing."""
        import numpy as np  # noqa: PLC0415 - optional

        means = self._model.embed(list(texts), norm=False, batch_size=_TEXTS)  # its `norm` divides by zero
        lengths = np.linalg.norm(means, axis=1, keepdims=True)
        return list(means / np.where(lengths > 0, lengths, 1))

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


class _unchanged_logging:  # noqa: N801 - used as a context
    """Keep the root logger as it is: wordllama configures it, unless it has a handler."""

    def __init__(self) -> None:
        self._handler = logging.NullHandler()

    def __enter__(self) -> None:
        logging.getLogger().addHandler(self._handler)

    def __exit__(self, *_: object) -> None:
        logging.getLogger().removeHandler(self._handler)
