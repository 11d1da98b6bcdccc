"""The knowledge index: embedders and vector stores. Their libraries are loaded when they are used."""
