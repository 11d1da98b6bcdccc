"""Names of other crawlers, which a User-Agent must not claim without permission.

Sites serve well-known crawlers other content, or let them pass where others are refused. Who names one of them appears
to be it. The tokens are product tokens of search engines, models, previews of links and tools that crawl many sites.
"""

import re
from typing import Final

_TOKENS: Final = """
adsbot adsbot-google ahrefsbot amazonbot anthropic-ai apis-google applebot applebot-extended archive.org_bot baiduspider
bingbot bingpreview blexbot bytespider ccbot chatgpt-user claude-searchbot claude-user claudebot cohere-ai dataforseobot
discordbot dotbot duckassistbot duckduckbot duckduckgo exabot facebookbot facebookexternalhit facebot feedfetcher
feedfetcher-google google-extended google-inspectiontool google-read-aloud google-safety google-site-verification
googlebot googlebot-image googlebot-news googlebot-video googleother gptbot heritrix ia_archiver linkedinbot
mediapartners-google meta-externalagent meta-externalfetcher mj12bot mojeekbot msnbot naverbot oai-searchbot omgilibot
perplexitybot perplexity-user petalbot pingdom pinterestbot qwantbot rogerbot screaming semrushbot seznambot sitebulb
siteauditbot slackbot slurp sogou spbot storebot-google telegrambot twitterbot uptimerobot whatsapp yahoo yandex
yandexbot yandeximages yeti youbot
""".split()
_WORDS: Final = re.compile(r"[a-z0-9._-]+")
_KNOWN: Final = frozenset(_TOKENS)


def named_crawlers(user_agent: str) -> tuple[str, ...]:
    """Return the other crawlers that a User-Agent, or a part of it, names; in lower case, each once."""
    words = _WORDS.findall(user_agent.lower())
    return tuple(dict.fromkeys(word for word in words if word in _KNOWN or word.strip("._-") in _KNOWN))
