"""The synthesized deployment. All workers of a test session share it, because synthesis takes ten seconds."""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, partial
from hashlib import sha256
from pathlib import Path
from typing import Any

from layers.build import Layer, build_layers
from tests.support.session import locked, make_once

ROOT = Path(__file__).resolve().parents[2]
IN_PLACE: Mapping[str, object] = {"aws:cdk:disable-asset-staging": True}
"""The assembly refers to the built layers. With `STAGED`, it has copies of them, which are 400 MB."""
STAGED: Mapping[str, object] = {"aws:cdk:disable-asset-staging": False}


@dataclass(frozen=True, slots=True, kw_only=True)
class Assembly:
    """A cloud assembly."""

    folder: Path
    template: Mapping[str, Any]

    def of_kind(self, kind: str) -> dict[str, dict[str, Any]]:
        """Return the resources of a type such as AWS::SQS::Queue, by logical id."""
        return {id_: found for id_, found in self.template["Resources"].items() if found["Type"] == kind}


def default_context() -> dict[str, object]:
    """Return the context that cdk.json gives the app."""
    found: dict[str, object] = json.loads((ROOT / "infra" / "cdk.json").read_text(encoding="utf-8"))["context"]
    return found


@cache
def synthesized(**context: object) -> Assembly:
    """Return the deployment of cdk.json, with layers for this machine and additional context."""
    variant = sha256(repr(sorted(context.items())).encode()).hexdigest()[:12]
    folder = make_once(f"assembly-{variant}", partial(_synthesize, context=context))
    name = str(context.get("stack_name", "wavecrawl"))
    template = json.loads((folder / f"{name}.template.json").read_text(encoding="utf-8"))
    return Assembly(folder=folder, template=template)


def native_layers() -> dict[str, Layer]:
    """Return the layers for this machine."""
    with locked("layers"):
        return build_layers("native")


def _synthesize(folder: Path, *, context: Mapping[str, object]) -> None:
    os.environ.setdefault("JSII_SILENCE_WARNING_END_OF_LIFE_NODE_VERSION", "18,20")
    from infra.app import build_app  # noqa: PLC0415 - it starts Node, which most tests do without

    native_layers()
    build_app({**default_context(), **IN_PLACE, "layer_target": "native", **context}, outdir=str(folder)).synth()
