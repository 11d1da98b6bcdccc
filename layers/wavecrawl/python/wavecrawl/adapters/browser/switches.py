"""How Chromium is started: nothing but the proxy is reachable, and nothing runs that pages do not need.

Sources: https://peter.sh/experiments/chromium-command-line-switches/ and Chromium's `*_switches.cc`.
"""

import os
from collections.abc import Mapping
from pathlib import Path

from wavecrawl.adapters.browser.proxy import HOST, NAME

_OFF = (
    # Those that Playwright turns off: Chromium reads only the last list. HttpsUpgrades and the next would change URLs.
    "HttpsUpgrades HttpsFirstBalancedModeAutoEnable AimEnabled AvoidCorsURLLoaderRestartOnRedirect "
    "AvoidUnnecessaryBeforeUnloadCheckSync DestroyProfileOnBrowserClose LensOverlay MediaRouter "
    "NetworkTimeServiceQuerying OptimizationHints PaintHolding PreconnectToSearch ThirdPartyStoragePartitioning "
    # Processes that no page needs. Without them a render takes 0.4 s of CPU time instead of 1.0 s (bench/render.py).
    "SpareRendererForSitePerProcess WebUIOmniboxPopup WebUIOmniboxAimPopup WebUIOmniboxFullPopup"
).split()
SWITCHES = (
    # The network: all of it goes through the proxy.
    f"--host-resolver-rules=MAP {NAME} {HOST} , MAP * ~NOTFOUND",  # a connection past the proxy has no address
    "--disable-quic",
    "--dns-prefetch-disable",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--force-webrtc-ip-handling-policy",
    "--no-pings",
    # Windows: pages open none.
    "--block-new-web-contents",
    "--deny-permission-prompts",
    # Fewer processes: one that is lost is noticed, because the page or the browser is lost with it.
    "--enable-features=CDPScreenshotNewSurface,NetworkServiceInProcess2",
    f"--disable-features={','.join(_OFF)}",
    "--in-process-gpu",
    "--disable-gpu",
    "--disable-crash-reporter",
)
REMOVED = (
    "--disable-ipc-flooding-protection",  # limits storms of history.pushState
    "--disable-popup-blocking",
    "--enable-unsafe-swiftshader",
)
"""Playwright's own switches that suit tests and not a crawler."""

IN_LAMBDA = ("--no-zygote",)
"""Switches of the browser in AWS Lambda: each process is started anew.

Elsewhere, Chromium forks the processes of pages from one that has loaded its libraries. That halves the CPU time of a
new page.
"""

SANDBOX = "WAVECRAWL_CHROMIUM_SANDBOX"
"""A variable: `off` for systems that forbid user namespaces."""

_KEPT = ("PATH", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "FONTCONFIG_FILE", "FONTCONFIG_PATH")


def browser_environment(environment: Mapping[str, str], home: Path) -> dict[str, str]:
    """Return the environment of the browser: without credentials and settings of this process."""
    kept = {name: environment[name] for name in _KEPT if name in environment}
    return {**kept, "HOME": str(home), "TMPDIR": str(home), "TZ": "UTC"}


def has_sandbox() -> bool:
    """Return whether Chromium's sandbox can be used: root has none, and AWS Lambda has no user namespaces."""
    return os.geteuid() != 0 and os.environ.get(SANDBOX, "") != "off" and not is_in_lambda()


def is_in_lambda() -> bool:
    """Return whether this process runs in AWS Lambda."""
    return "AWS_LAMBDA_FUNCTION_NAME" in os.environ
