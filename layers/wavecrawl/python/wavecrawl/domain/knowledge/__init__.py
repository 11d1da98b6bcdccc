"""The rules of the knowledge index: passages, what is to be indexed, and how ranks are merged."""
