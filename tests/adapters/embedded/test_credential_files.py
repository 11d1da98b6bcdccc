"""The private files with the credentials of sites."""

from pathlib import Path

import pytest

from wavecrawl.adapters.embedded.credential_files import CredentialFiles
from wavecrawl.domain.sites.credentials import SiteCredentials
from wavecrawl.errors import CorruptDataError


def test_no_other_user_can_read_the_files(tmp_path: Path) -> None:
    CredentialFiles(tmp_path).write("t", "s", SiteCredentials(username="u", password="not-a-real-password"))
    found = {path.relative_to(tmp_path).as_posix(): path.stat().st_mode & 0o777 for path in tmp_path.rglob("*")}
    assert found == {"credentials": 0o700, "credentials/t": 0o700, "credentials/t/s.json": 0o600}


def test_a_damaged_file_is_an_error_that_quotes_nothing(tmp_path: Path) -> None:
    files = CredentialFiles(tmp_path)
    files.write("t", "s", SiteCredentials(username="u"))
    (tmp_path / "credentials/t/s.json").write_text('{"username": ["not-a-real-password"')
    with pytest.raises(CorruptDataError, match="set the site's credentials again") as raised:
        files.read("t", "s")
    assert "not-a-real-password" not in str(raised.value)
    assert raised.value.__cause__ is None
