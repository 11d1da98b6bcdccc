"""The AWS usage of a crawl and its cost. All prices are in one dated table."""

from types import MappingProxyType

from msgspec import Struct, structs


class Usage(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """AWS usage in the units that AWS bills."""

    lambda_requests: float = 0.0
    lambda_gb_seconds: float = 0.0  # of functions on arm64
    lambda_x86_gb_seconds: float = 0.0  # of the function that renders pages
    queue_requests: float = 0.0  # SQS, 64 KiB each
    write_units: float = 0.0  # DynamoDB
    read_units: float = 0.0
    puts: float = 0.0  # S3: PUT, COPY, POST, LIST
    gets: float = 0.0  # S3: GET and everything else
    transitions: float = 0.0  # Step Functions
    api_requests: float = 0.0  # API Gateway, HTTP API
    titan_tokens: float = 0.0  # Bedrock: input of Titan Text Embeddings V2
    cohere_tokens: float = 0.0  # Bedrock: input of Cohere Embed 3
    vector_gigabytes: float = 0.0  # S3 Vectors: stored vectors with their keys, at least 128 KB a request
    gigabytes_out: float = 0.0  # to the internet, 10**9 bytes: requests, and the acknowledgements of responses

    def __add__(self, other: "Usage") -> "Usage":
        """Return the sum, unit by unit."""
        if not self:
            return other
        if not other:
            return self
        return Usage(**{name: getattr(self, name) + getattr(other, name) for name in UNITS})

    def __bool__(self) -> bool:
        """Return whether any unit is not zero."""
        return any(structs.astuple(self))


UNITS: tuple[str, ...] = Usage.__struct_fields__
"""The names of the units, in order."""


SETUP = 1
"""The number of the wave that is charged with usage outside any wave."""


class Price(Struct, frozen=True, kw_only=True):
    """The price of one unit."""

    dollars: float
    per: float  # units
    service: str
    source: str


PRICES_OF = "2026-11-21"
"""The date of the prices: us-east-1, on demand, first tier, without free tier."""

_LAMBDA, _SQS, _DYNAMODB, _S3, _BEDROCK = "Lambda", "SQS", "DynamoDB", "S3", "Bedrock"
_AWS = "https://aws.amazon.com"

DATA_OUT = "Data transfer"
"""The service of the bytes that leave AWS. How many they are depends on the site more than on the crawler."""

PRICES = MappingProxyType(
    {
        "lambda_requests": Price(dollars=0.20, per=1e6, service=_LAMBDA, source=f"{_AWS}/lambda/pricing/"),
        "lambda_gb_seconds": Price(dollars=0.0000133334, per=1.0, service=_LAMBDA, source=f"{_AWS}/lambda/pricing/"),
        "lambda_x86_gb_seconds": Price(
            dollars=0.0000166667, per=1.0, service=_LAMBDA, source=f"{_AWS}/lambda/pricing/"
        ),
        "queue_requests": Price(dollars=0.40, per=1e6, service=_SQS, source=f"{_AWS}/sqs/pricing/"),
        "write_units": Price(dollars=0.625, per=1e6, service=_DYNAMODB, source=f"{_AWS}/dynamodb/pricing/on-demand/"),
        "read_units": Price(dollars=0.125, per=1e6, service=_DYNAMODB, source=f"{_AWS}/dynamodb/pricing/on-demand/"),
        "puts": Price(dollars=0.005, per=1e3, service=_S3, source=f"{_AWS}/s3/pricing/"),
        "gets": Price(dollars=0.0004, per=1e3, service=_S3, source=f"{_AWS}/s3/pricing/"),
        "transitions": Price(
            dollars=0.025, per=1e3, service="Step Functions", source=f"{_AWS}/step-functions/pricing/"
        ),
        "api_requests": Price(dollars=1.0, per=1e6, service="API Gateway", source=f"{_AWS}/api-gateway/pricing/"),
        "titan_tokens": Price(dollars=0.02, per=1e6, service=_BEDROCK, source=f"{_AWS}/bedrock/pricing/"),
        "cohere_tokens": Price(dollars=0.10, per=1e6, service=_BEDROCK, source=f"{_AWS}/bedrock/pricing/"),
        "vector_gigabytes": Price(dollars=0.20, per=1.0, service="S3 Vectors", source=f"{_AWS}/s3/pricing/"),
        "gigabytes_out": Price(dollars=0.09, per=1.0, service=DATA_OUT, source=f"{_AWS}/ec2/pricing/on-demand/"),
    }
)


class Bill(Struct, frozen=True, kw_only=True):
    """The cost of a usage in dollars."""

    total: float
    services: dict[str, float]
    per_million_pages: float  # 0 if no page was fetched


def priced(usage: Usage, *, pages: int = 0) -> Bill:
    """Return the cost of a usage by service, in the order of the price table, without services that cost nothing."""
    services: dict[str, float] = {}
    for unit, price in PRICES.items():
        if used := getattr(usage, unit):
            services[price.service] = services.get(price.service, 0.0) + used * price.dollars / price.per
    total = sum(services.values())
    return Bill(total=total, services=services, per_million_pages=total / pages * 1e6 if pages else 0.0)


TYPICAL_PAGE = 3e-6
"""Expected dollars per page until the crawl has fetched enough pages of its own (docs/costs.md)."""

_ENOUGH_PAGES = 50  # pages after which the crawl's own cost per page is used


def pages_within(budget: float, *, usage: Usage, pages: int) -> int:
    """Return how many more pages `budget` dollars pay for, after `pages` pages with `usage`.

    If nothing is billed, as on one machine, each page costs the typical amount.
    """
    spent = priced(usage).total
    page = spent / max(pages, _ENOUGH_PAGES)
    if pages < _ENOUGH_PAGES or not spent:
        page = max(TYPICAL_PAGE, page)
    return max(0, int((budget - spent) / page))
