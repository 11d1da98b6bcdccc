"""The form of a client certificate with its private key, as PEM (RFC 7468). Whether they match, TLS libraries check."""

import re
from collections.abc import Iterator
from typing import Final

LONGEST: Final = 32_768
"""Maximum number of characters: a certificate has some 2,000, and Secrets Manager keeps 65,536 bytes per secret."""

_CERTIFICATE: Final = "-----BEGIN CERTIFICATE-----"
_KEY: Final = re.compile(r"-----BEGIN (?:[A-Z0-9]+ )?PRIVATE KEY-----")
_ENCRYPTED: Final = re.compile(r"-----BEGIN ENCRYPTED PRIVATE KEY-----|Proc-Type: 4,ENCRYPTED")


def certificate_problems(pem: str) -> Iterator[str]:
    """Yield what is wrong with the form of a certificate and its key. No problem contains a part of them."""
    if len(pem) > LONGEST:
        yield f"client_certificate: at most {LONGEST:,} characters, not {len(pem):,}"
    elif not pem.isascii():
        yield "client_certificate: PEM is ASCII text"
    elif _ENCRYPTED.search(pem):
        yield (
            "client_certificate: the private key is encrypted; use one without a passphrase, for example the output "
            "of openssl pkey -in KEY"
        )
    elif _CERTIFICATE not in pem or len(_KEY.findall(pem)) != 1:
        yield "client_certificate: needs PEM text with the certificate, those that lead to its authority, and one key"
