"""The settings of a deployment: refused values and their messages."""

import pytest
from infra.config import Config, ConfigError, LayerTarget

from wavecrawl.adapters.media.limits import ProcessingLimits
from wavecrawl.cloud.fetch_batch import RESERVE, TOO_EARLY
from wavecrawl.domain.crawl.job import BatchKind
from wavecrawl.domain.crawl.settings_bounds import REQUEST_BOUNDS
from wavecrawl.domain.media.settings import MediaSettings
from wavecrawl.domain.rendering.settings import RenderSettings
from wavecrawl.domain.tenants.plans import MAXIMUMS


def test_values_of_the_command_line_are_parsed() -> None:
    config = Config.from_context(
        {"fetch_memory": "1024", "keep_data": "false", "layer_target": "native", "contact": " x "}
    )
    assert config == Config(fetch_memory=1024, keep_data=False, layer_target=LayerTarget.NATIVE, contact="x")


def test_context_keys_of_cdk_are_ignored() -> None:
    assert Config.from_context({"@aws-cdk/core:something": True, "aws:cdk:bundling-stacks": []}) == Config()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("fetch_memory", "much"),
        ("fetch_memory", 64),
        ("fetch_timeout", 64),
        ("fetch_timeout", 361),
        ("render_timeout", 179),
        ("render_timeout", 361),
        ("media_memory", 1_023),
        ("media_timeout", 259),
        ("account_concurrency", 9),
        ("worker_concurrency", 3),
        ("worker_concurrency", 5),
        ("worker_concurrency", 1_001),
        ("max_waves_per_execution", 199),
        ("max_waves_per_execution", 1401),
        ("wave_timeout", 899),
        ("keep_data", "perhaps"),
        ("layer_target", "windows"),
        ("log_retention_days", 31),
        ("log_level", "LOUD"),
        ("stack_name", "9lives"),
        ("tenant", "a/b"),
        ("qstash_url", "http://example.com/"),
        ("alarm_email", "nobody"),
        ("allowed_addresses", "10.0.0.0/8, here"),
    ],
)
def test_a_value_that_does_not_hold_is_named(name: str, value: object) -> None:
    with pytest.raises(ConfigError, match=name):
        Config.from_context({name: value})


def test_every_bad_value_is_named_at_once() -> None:
    with pytest.raises(ConfigError) as caught:
        Config.from_context({"fetch_memory": 1, "log_level": "LOUD", "tenant": ""})
    assert all(name in str(caught.value) for name in ("fetch_memory", "log_level", "tenant"))


def test_the_shortest_worker_has_time_for_the_slowest_page_a_request_may_ask_for() -> None:
    parsing = REQUEST_BOUNDS.maximums["max_page_cpu"]
    shortest = Config.from_context({"fetch_timeout": "65"}).fetch_timeout  # 64 is refused, above
    assert TOO_EARLY + REQUEST_BOUNDS.maximums["limits.timeout"] + parsing + RESERVE < shortest
    shortest = Config.from_context({"render_timeout": "180"}).render_timeout  # 179 is refused, above
    longest = RenderSettings(timeout=REQUEST_BOUNDS.maximums["render.timeout"]).longest
    assert TOO_EARLY + longest + parsing + RESERVE < shortest
    shortest = Config.from_context({"media_timeout": "260"}).media_timeout  # 259 is refused, above
    most = REQUEST_BOUNDS.maximums
    slowest = MediaSettings(timeout=most["media.timeout"], process_seconds=most["media.process_seconds"])
    assert TOO_EARLY + slowest.longest + RESERVE < shortest


def test_the_function_for_media_has_room_for_the_largest_assets_a_request_may_ask_for() -> None:
    most = REQUEST_BOUNDS.maximums
    pixels = ProcessingLimits(max_pixels=int(most["media.max_pixels"]))
    least = Config.from_context({"media_memory": "1024"})  # 1,023 is refused, above
    assert pixels.image_memory + 256 <= least.media_memory
    assert most["media.max_video_mb"] * MAXIMUMS["polite.in_flight"] < Config().media_storage_mb


def test_only_functions_that_are_deployed_have_queues_of_batches() -> None:
    everything = Config(fetch_timeout=100, render_timeout=200, media_timeout=300).batch_timeouts
    assert everything == {BatchKind.FETCH: 100, BatchKind.RENDER: 200, BatchKind.MEDIA: 300}
    assert Config(render=False, media=False).batch_timeouts == {BatchKind.FETCH: 180}
