"""Pin the image of the Fargate task: `python -m infra.task_image [-c task_image=NAME:TAG]`, or `make task-image`.

It asks the registry which image has the tag now, and writes the image's digest to infra/cdk.json. Run it again for the
updates of the image. The steps are those of each client of a registry:
https://github.com/opencontainers/distribution-spec/blob/main/spec.md#pulling-manifests
https://distribution.github.io/distribution/spec/auth/token/
"""

import re
import sys
from collections.abc import Sequence
from hashlib import sha256
from typing import Final

import requests

from infra.command_line import options, run, save
from infra.config import TASK_IMAGE
from wavecrawl.errors import CorruptDataError, InvalidInputError, StoreBusyError

_INDEXES: Final = "application/vnd.oci.image.index.v1+json, application/vnd.docker.distribution.manifest.list.v2+json"
"""An image for several machines."""

_MACHINE: Final = {"os": "linux", "architecture": "arm64"}  # of the task
_LOOPBACK: Final = ("127.0.0.1", "localhost")
_SECONDS: Final = 30.0


def tagged(image: str) -> str:
    """Return an image with its tag; of the default image, also if it is pinned. Raise InvalidInputError otherwise."""
    name, _, digest = image.partition("@")
    if not digest:
        return image
    if name != TASK_IMAGE.rpartition(":")[0]:
        raise InvalidInputError(f"{image} has no tag; pass one: -c task_image={name}:TAG")
    return TASK_IMAGE


def pinned(image: str) -> str:
    """Return the image that has the tag now, by its digest.

    The digest is computed from what the registry sends. Raise StoreBusyError if the registry cannot respond now,
    InvalidInputError if it has no such image, CorruptDataError if the image is not one for arm64.
    """
    name, _, tag = image.rpartition(":")
    host, _, repository = name.partition("/")
    scheme = "http" if host.partition(":")[0] in _LOOPBACK else "https"
    try:
        response = _manifest(f"{scheme}://{host}/v2/{repository}/manifests/{tag}")
    except requests.RequestException as error:
        raise StoreBusyError(f"the registry {host} does not respond: {error}") from error
    if response.status_code >= requests.codes.server_error or response.status_code == requests.codes.too_many_requests:
        raise StoreBusyError(f"the registry {host} responds with status {response.status_code}; try again later")
    if not response.ok:
        raise InvalidInputError(f"the registry {host} has no image {image}: status {response.status_code}")
    try:
        machines = [one["platform"] for one in response.json()["manifests"]]
    except (ValueError, LookupError, TypeError) as error:
        raise CorruptDataError(f"{image} is no list of images for several machines") from error
    if not any(_MACHINE.items() <= machine.items() for machine in machines):
        raise CorruptDataError(f"{image} has no image for linux on arm64")
    return f"{name}@sha256:{sha256(response.content).hexdigest()}"


def _manifest(url: str) -> requests.Response:
    """Request a manifest; if the registry asks for a token, get one without credentials and request it again."""
    headers = {"Accept": _INDEXES}
    response = requests.get(url, headers=headers, timeout=_SECONDS)
    challenge = response.headers.get("www-authenticate", "")
    if response.status_code != requests.codes.unauthorized or not challenge.lower().startswith("bearer "):
        return response
    given = dict(re.findall(r'(\w+)="([^"]*)"', challenge))
    realm = given.pop("realm", "")
    found = requests.get(realm, params=given, timeout=_SECONDS).json()
    headers["Authorization"] = f"Bearer {found.get('token') or found.get('access_token')}"
    return requests.get(url, headers=headers, timeout=_SECONDS)


def task_image(arguments: Sequence[str]) -> int:
    """Write the pinned image to infra/cdk.json, and print it."""
    image = pinned(tagged(options(arguments).config.task_image))
    save("task_image", image)
    sys.stdout.write(f"task_image {image}\n")
    return 0


if __name__ == "__main__":
    run(task_image)
