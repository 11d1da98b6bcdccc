"""The attributes of rows: values as DynamoDB takes them, and back."""

from typing import Any

Row = dict[str, Any]
"""Attributes by name, each as {type: value}: what `text`, `number` and `binary` make."""


def text(value: str) -> dict[str, str]:
    """Return a string attribute."""
    return {"S": value}


def number(value: float) -> dict[str, str]:
    """Return a number attribute: every digit of a float, and none more."""
    return {"N": repr(value).removesuffix(".0")}


def binary(value: bytes) -> dict[str, bytes]:
    """Return a binary attribute."""
    return {"B": value}


def text_of(row: Row, name: str) -> str:
    """Return a string, "" where there is none."""
    return str(row[name]["S"]) if name in row else ""


def float_of(row: Row, name: str) -> float:
    """Return a number, 0 where there is none."""
    return float(row[name]["N"]) if name in row else 0.0


def int_of(row: Row, name: str) -> int:
    """Return a whole number, 0 where there is none."""
    return int(float(row[name]["N"])) if name in row else 0


def bytes_of(row: Row, name: str) -> bytes:
    """Return a binary value, b"" where there is none."""
    return bytes(row[name]["B"]) if name in row else b""
