"""The layers with the functions' code."""

from collections.abc import Sequence
from dataclasses import dataclass

from aws_cdk import aws_lambda as lambda_
from constructs import Construct
from layers.build import Layer, build_layers

from infra.config import Config
from infra.constructs.authorities import authorities_layer

RUNTIME = lambda_.Runtime.PYTHON_3_13
ARCHITECTURE = lambda_.Architecture.ARM_64
RENDERING_ARCHITECTURE = lambda_.Architecture.X86_64  # Chromium for Lambda exists for it only


@dataclass(frozen=True, slots=True, kw_only=True)
class BuiltLayers:
    """The built layers."""

    wavecrawl: Layer
    dependencies: Layer
    analytics: Layer
    encryption: Layer
    render_dependencies: Layer | None = None  # without rendering
    chromium: Layer | None = None  # without rendering, and on this machine, which brings its own
    fonts: Layer | None = None  # without rendering, and without the setting `fonts`
    media: Layer | None = None  # without media
    authorities: Layer | None = None  # without the setting `ca_file`

    @classmethod
    def of(cls, config: Config) -> "BuiltLayers":
        """Build the layers of a deployment that are not built yet."""
        wanted = {name: getattr(config, name) for name in ("render", "fonts", "media")}
        authorities = authorities_layer(config.ca_path) if config.ca_file else None
        return cls(**build_layers(config.layer_target.value, **wanted), authorities=authorities)


class Layers(Construct):
    """The package, its run-time dependencies, and libraries and programs for the functions that need them."""

    def __init__(self, scope: Construct, construct_id: str, *, config: Config) -> None:
        super().__init__(scope, construct_id)
        self.built = built = BuiltLayers.of(config)
        both = (ARCHITECTURE, RENDERING_ARCHITECTURE) if config.render else (ARCHITECTURE,)
        rendering = (RENDERING_ARCHITECTURE,)
        described = {
            "wavecrawl": ("the wavecrawl package", both),
            "dependencies": ("dependencies of all functions of wavecrawl", (ARCHITECTURE,)),
            "analytics": ("DuckDB, for the results of a crawl", (ARCHITECTURE,)),
            "encryption": ("the library for encryption", (ARCHITECTURE,)),
            "media": ("libraries for images and documents, for process_media", (ARCHITECTURE,)),
            "render_dependencies": ("dependencies of render_batch, with Playwright", rendering),
            "chromium": ("Chromium", rendering),
            "fonts": ("fonts for CJK, Arabic, Devanagari, Thai and emoji", rendering),
            "authorities": ("certificate authorities of the operator", both),
        }
        self.by_name = {
            name: self._layer(name.title().replace("_", ""), layer, description, machines=machines)
            for name, (description, machines) in described.items()
            if (layer := getattr(built, name)) is not None
        }

    def _layer(
        self,
        construct_id: str,
        built: Layer,
        description: str,
        *,
        machines: Sequence[lambda_.Architecture],
    ) -> lambda_.LayerVersion:
        return lambda_.LayerVersion(
            self,
            construct_id,
            code=lambda_.Code.from_asset(str(built.folder)),
            compatible_runtimes=[RUNTIME],
            compatible_architectures=list(machines),
            description=description,
        )
