"""The further certificate authorities of a browser: those that the page client trusts by `--ca-file`."""

import logging
import os
import subprocess
import sys
from base64 import b64encode
from pathlib import Path
from typing import Final

from wavecrawl.adapters.http.own_authorities import further_certificates
from wavecrawl.adapters.http.transfer_errors import one_line

_LOG = logging.getLogger(__name__)
_MODULE: Final = "wavecrawl.adapters.browser.nss_database"
_DATABASE: Final = ".pki/nssdb"  # in the home of Chromium
_SECONDS: Final = 60.0
_INHERITED: Final = ("LD_LIBRARY_PATH",)


def trust_authorities(home: Path, authorities: str) -> None:
    """Let the browser with this home trust the authorities of a PEM file or a folder.

    If that cannot be done, log it: the browser still starts, and refuses the certificates of these authorities.
    """
    try:
        why = _written(home / _DATABASE, further_certificates(authorities))
    except OSError as error:
        why = error.strerror or str(error)
    if why:
        _LOG.warning("Chromium does not trust the authorities of %s: %s", authorities, why)


def _written(folder: Path, certificates: list[bytes]) -> str:
    """Write the database; return why that is not possible, "" if it is."""
    if not certificates:
        return ""
    folder.mkdir(parents=True)
    environment = {name: os.environ[name] for name in _INHERITED if name in os.environ}
    try:
        done = subprocess.run(  # noqa: S603 - our own module
            [sys.executable, "-P", "-m", _MODULE, str(folder)],
            input=b"\n".join(map(b64encode, certificates)),
            capture_output=True,
            env=environment | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            timeout=_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return "NSS did not respond"
    return one_line(done.stderr.decode(errors="replace").strip()) if done.returncode else ""
