"""Settings of the request rate."""

from typing import Annotated

import msgspec


class PoliteSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Request rate and politeness towards one host."""

    in_flight: Annotated[int, "Maximum number of concurrent requests to one host."] = 5
    interval: Annotated[
        float,
        "Minimum number of seconds between the starts of two requests to one host. 0: no delay, unless the host is "
        "overloaded (see `polite.max_interval`).",
    ] = 0.04
    obey_robots: Annotated[bool, "Whether to obey robots.txt."] = True
    robots_wait: Annotated[
        float,
        "Length of the first wait, in seconds, if the robots.txt of a host cannot be fetched and there is no earlier "
        "copy. URLs of the host wait until then. Each further wait is twice as long.",
    ] = 15.0
    max_robots_waits: Annotated[
        int,
        "Maximum number of waits in a row (see `robots_wait`). Afterwards all waiting URLs of the host end in state "
        "`robots_denied`, with reason `robots_unreachable`; or in state `failed` if the host cannot be reached.",
    ] = 5
    adapt: Annotated[
        bool,
        "Whether to send requests more slowly if the host's responses to this crawl take longer than in earlier waves. "
        "Errors of the host slow down all its crawls, also if this is false (see `polite.max_interval`).",
    ] = True
    max_interval: Annotated[
        float,
        "Maximum interval, in seconds, if the host is overloaded: if more than 20 % of its last 50 responses are 429, "
        "5xx or missing, or if responses take longer than before (see `adapt`). 403 counts too, unless a success "
        "follows.",
    ] = 30.0
    max_retry_after: Annotated[
        float,
        "Longest pause that the response header `Retry-After` may request, in seconds. Longer ones are shortened.",
    ] = 3600.0
    max_delay: Annotated[
        float,
        "Longest `Crawl-delay` or `Request-rate` of robots.txt to obey, in seconds between requests. If a host "
        "requires more, its URLs are skipped, with reason `delay_too_long`.",
    ] = 300.0
    cooldown: Annotated[
        float,
        "Length of the first pause, in seconds, if a host does not respond or is overloaded. The pause begins when 5 "
        "requests in a row get no response, when a wave has at least 3 requests and none gets a response, or when the "
        "host was overloaded 3 times in a row (see `max_interval`). If the next wave has no success either, the next "
        "pause is twice as long.",
    ] = 30.0
    max_cooldowns: Annotated[
        int,
        "Maximum number of pauses in a row (see `cooldown`). If a further wave has no success, all waiting URLs "
        "of the host end in state `failed`, with reason `host_unavailable`.",
    ] = 5
