"""The secret of a data folder."""

import os
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from wavecrawl.adapters.embedded.credential_files import CredentialFiles
from wavecrawl.adapters.embedded.database import Database
from wavecrawl.adapters.embedded.message_secrets import MessageSecretFile
from wavecrawl.adapters.embedded.secret_file import BYTES, secret_file
from wavecrawl.domain.sites.credentials import SiteCredentials
from wavecrawl.errors import CorruptDataError

OWNER = 12345  # a user other than root and than that of the tests


def test_a_secret_is_made_once_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "signing.key"
    secret = secret_file(path)
    assert (len(secret), secret_file(path)) == (BYTES, secret)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert list(tmp_path.iterdir()) == [path]


def test_concurrent_readers_get_the_same_complete_secret(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        secrets = set(pool.map(secret_file, [tmp_path / "signing.key"] * 50))
    assert [len(secret) for secret in secrets] == [BYTES]


@pytest.mark.parametrize("left", [b"", b"half of one"])
def test_a_file_without_a_secret_signs_nothing(tmp_path: Path, left: bytes) -> None:
    (tmp_path / "signing.key").write_bytes(left)
    with pytest.raises(CorruptDataError, match="Delete it"):
        secret_file(tmp_path / "signing.key")


def test_private_files_of_root_belong_to_the_owner_of_the_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if os.geteuid() == 0:
        os.chown(tmp_path, OWNER, OWNER)
    given: list[tuple[int, int]] = []
    own = tmp_path.stat()
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(os, "fchown", lambda _, uid, gid: given.append((uid, gid)))
    secret_file(tmp_path / "signing.key")
    MessageSecretFile(tmp_path).create()
    Database(tmp_path / "db.sqlite").close()
    assert given == [(own.st_uid, own.st_gid)] * 3


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files to another user")
def test_files_that_root_creates_get_the_owner_of_the_folder(tmp_path: Path) -> None:
    os.chown(tmp_path, OWNER, OWNER)
    MessageSecretFile(tmp_path).create()
    CredentialFiles(tmp_path).write("local", "site", SiteCredentials())
    database = Database(tmp_path / "db.sqlite")
    database.change("INSERT INTO turns VALUES ('a', 1.0, 1)")
    owners = {path.name: path.stat().st_uid for path in tmp_path.rglob("*")}
    database.close()
    assert set(owners) >= {"message-secrets.json", "credentials", "local", "site.json", "db.sqlite", "db.sqlite-wal"}
    assert set(owners.values()) == {OWNER}


def test_a_new_database_is_readable_by_its_owner_only(tmp_path: Path) -> None:
    database = Database(tmp_path / "db.sqlite")
    database.change("INSERT INTO turns VALUES ('a', 1.0, 1)")
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()}
    database.close()
    assert set(modes) >= {"db.sqlite", "db.sqlite-wal"}
    assert set(modes.values()) == {0o600}
