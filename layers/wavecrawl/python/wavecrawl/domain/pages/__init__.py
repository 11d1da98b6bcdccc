"""Pages: text, links, facts, titles, encoding, similarity."""
