"""Url keys with a short name, for tests of code that needs real url keys."""


def key_of(name: str) -> str:
    """Return a url key for a name of up to 16 ASCII characters."""
    return name.encode().hex().ljust(32, "0")


def name_of(key: str) -> str:
    """Return the name that a key was made of."""
    return bytes.fromhex(key).rstrip(b"\0").decode()
