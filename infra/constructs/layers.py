"""The layers with the functions' code."""

from collections.abc import Sequence
from dataclasses import dataclass

from aws_cdk import aws_lambda as lambda_
from constructs import Construct
from layers.build import Layer, build_layers

from infra.config import Config

RUNTIME = lambda_.Runtime.PYTHON_3_13
ARCHITECTURE = lambda_.Architecture.ARM_64
RENDERING_ARCHITECTURE = lambda_.Architecture.X86_64  # Chromium for Lambda exists for it only


@dataclass(frozen=True, slots=True, kw_only=True)
class BuiltLayers:
    """The built layers."""

    wavecrawl: Layer
    dependencies: Layer
    analytics: Layer
    render_dependencies: Layer | None = None  # without rendering
    chromium: Layer | None = None  # without rendering, and on this machine, which brings its own
    fonts: Layer | None = None  # without rendering, and without the setting `fonts`
    media: Layer | None = None  # without media
    knowledge: Layer | None = None  # without the knowledge index

    @classmethod
    def of(cls, config: Config) -> "BuiltLayers":
        """Build the layers of a deployment that are not built yet."""
        wanted = {name: getattr(config, name) for name in ("render", "fonts", "media", "knowledge")}
        return cls(**build_layers(config.layer_target.value, **wanted))


class Layers(Construct):
    """The package, its run-time dependencies, and libraries and programs for the functions that need them."""

    def __init__(self, scope: Construct, construct_id: str, *, config: Config) -> None:
        super().__init__(scope, construct_id)
        self.built = built = BuiltLayers.of(config)
        both = (ARCHITECTURE, RENDERING_ARCHITECTURE) if config.render else (ARCHITECTURE,)
        self.wavecrawl = self._layer("Wavecrawl", built.wavecrawl, "the wavecrawl package", machines=both)
        self.dependencies = self._layer(
            "Dependencies", built.dependencies, "dependencies of all functions of wavecrawl"
        )
        self.analytics = self._layer("Analytics", built.analytics, "DuckDB, for the results of a crawl")
        described = "libraries for images and documents, for process_media"
        self.media = [self._layer("Media", built.media, described)] if built.media else []
        described = "the library that divides texts, for index_site"
        self.knowledge = [self._layer("Knowledge", built.knowledge, described)] if built.knowledge else []
        self.rendering = [
            self._layer(construct_id, layer, description, machines=(RENDERING_ARCHITECTURE,))
            for construct_id, layer, description in (
                ("RenderDependencies", built.render_dependencies, "dependencies of render_batch, with Playwright"),
                ("Chromium", built.chromium, "Chromium"),
                ("Fonts", built.fonts, "fonts for CJK, Arabic, Devanagari, Thai and emoji"),
            )
            if layer is not None
        ]

    def _layer(
        self,
        construct_id: str,
        built: Layer,
        description: str,
        *,
        machines: Sequence[lambda_.Architecture] = (ARCHITECTURE,),
    ) -> lambda_.LayerVersion:
        return lambda_.LayerVersion(
            self,
            construct_id,
            code=lambda_.Code.from_asset(str(built.folder)),
            compatible_runtimes=[RUNTIME],
            compatible_architectures=list(machines),
            description=description,
        )
