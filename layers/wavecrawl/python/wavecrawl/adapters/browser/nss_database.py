"""Writes the database of certificates that Chromium reads in its home: `python -m ... FOLDER`, by NSS itself.

Chromium on Linux reads no PEM file and no environment variable, but trusts the authorities in this database:
https://chromium.googlesource.com/chromium/src/+/main/docs/linux/cert_management.md. NSS is a library that Chromium
needs too; its program `certutil` may be missing. A process has one database of NSS, so this is a program.
Standard input: a certificate per line, as base64 of DER.
"""

import sys
from base64 import b64decode
from collections.abc import Iterable
from ctypes import CDLL, Structure, byref, c_char_p, c_int, c_uint, c_ulong, c_void_p
from typing import Any, ClassVar, Final

_LIBRARY: Final = "libnss3.so"
_TRUSTED_AUTHORITY: Final = 0x08 | 0x10  # CERTDB_VALID_CA, CERTDB_TRUSTED_CA of certdb.h: "C" of certutil
_HANDLE: Final = c_void_p
_SIGNATURES: Final[dict[str, tuple[Any, ...]]] = {  # function: the types of its result and of its arguments
    "NSS_InitReadWrite": (c_int, c_char_p),
    "NSS_Shutdown": (c_int,),
    "PK11_GetInternalKeySlot": (_HANDLE,),
    "PK11_FreeSlot": (None, _HANDLE),
    "PK11_InitPin": (c_int, _HANDLE, c_char_p, c_char_p),
    "PK11_ImportCert": (c_int, _HANDLE, _HANDLE, c_ulong, c_char_p, c_int),
    "CERT_GetDefaultCertDB": (_HANDLE,),
    "CERT_NewTempCertificate": (_HANDLE, _HANDLE, _HANDLE, c_char_p, c_int, c_int),
    "CERT_ChangeCertTrust": (c_int, _HANDLE, _HANDLE, _HANDLE),
    "CERT_DestroyCertificate": (None, _HANDLE),
}


class _Item(Structure):
    """SECItem of seccomon.h."""

    _fields_: ClassVar = [("type", c_int), ("data", c_char_p), ("size", c_uint)]


class _Trust(Structure):
    """CERTCertTrust of certt.h: for TLS, e-mail and programs."""

    _fields_: ClassVar = [("tls", c_uint), ("mail", c_uint), ("programs", c_uint)]


def write_database(folder: str, certificates: Iterable[bytes]) -> None:
    """Write a new database with authorities that are trusted for TLS. Raise OSError."""
    nss = CDLL(_LIBRARY)
    for name, (result, *arguments) in _SIGNATURES.items():
        function = getattr(nss, name)
        function.restype, function.argtypes = result, arguments
    _require(nss.NSS_InitReadWrite(f"sql:{folder}".encode()), "NSS cannot create the database")
    slot = nss.PK11_GetInternalKeySlot()
    _require(nss.PK11_InitPin(slot, None, b""), "NSS cannot initialise the database")
    known, trust = nss.CERT_GetDefaultCertDB(), _Trust(tls=_TRUSTED_AUTHORITY)
    for number, certificate in enumerate(certificates):
        item = _Item(data=certificate, size=len(certificate))
        made = nss.CERT_NewTempCertificate(known, byref(item), None, 0, 1)
        _require(0 if made else 1, f"NSS cannot read certificate {number}")
        _require(nss.PK11_ImportCert(slot, made, 0, f"authority {number}".encode(), 0), "NSS cannot add a certificate")
        _require(nss.CERT_ChangeCertTrust(known, made, byref(trust)), "NSS cannot trust a certificate")
        nss.CERT_DestroyCertificate(made)
    nss.PK11_FreeSlot(slot)
    _require(nss.NSS_Shutdown(), "NSS cannot close the database")


def _require(status: int, problem: str) -> None:
    if status != 0:
        raise OSError(problem)


def main() -> None:
    """Write the database of standard input, or end with a line that says why not."""
    try:
        write_database(sys.argv[1], (b64decode(line) for line in sys.stdin.buffer))
    except OSError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
