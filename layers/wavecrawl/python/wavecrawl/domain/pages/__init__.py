"""What a page says: text, links, titles, encoding, similarity."""
