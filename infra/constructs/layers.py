"""The layers with the functions' code."""

from dataclasses import dataclass

from aws_cdk import aws_lambda as lambda_
from constructs import Construct
from layers.build import Layer, build_layers

from infra.config import Config, LayerTarget

RUNTIME = lambda_.Runtime.PYTHON_3_13
ARCHITECTURE = lambda_.Architecture.ARM_64


@dataclass(frozen=True, slots=True, kw_only=True)
class BuiltLayers:
    """The built layers."""

    wavecrawl: Layer
    dependencies: Layer
    analytics: Layer

    @classmethod
    def for_target(cls, target: LayerTarget) -> "BuiltLayers":
        """Build the layers that are not built yet."""
        return cls(**build_layers(target.value))


class Layers(Construct):
    """The package, its run-time dependencies, and DuckDB for the functions that need it."""

    def __init__(self, scope: Construct, construct_id: str, *, config: Config) -> None:
        super().__init__(scope, construct_id)
        self.built = built = BuiltLayers.for_target(config.layer_target)
        self.wavecrawl = self._layer("Wavecrawl", built.wavecrawl, "the wavecrawl package")
        self.dependencies = self._layer(
            "Dependencies", built.dependencies, "dependencies of all functions of wavecrawl"
        )
        self.analytics = self._layer("Analytics", built.analytics, "DuckDB, for the results of a crawl")

    def _layer(self, construct_id: str, built: Layer, description: str) -> lambda_.LayerVersion:
        return lambda_.LayerVersion(
            self,
            construct_id,
            code=lambda_.Code.from_asset(str(built.folder)),
            compatible_runtimes=[RUNTIME],
            compatible_architectures=[ARCHITECTURE],
            description=description,
        )
