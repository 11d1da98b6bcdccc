"""How well archived pages are shown again."""
