# The dashboard and the API on one machine, with Chromium for rendering: docs/self-hosting.md.
FROM python:3.13-slim-trixie AS build
RUN apt-get update && apt-get install -y --no-install-recommends make nodejs npm
WORKDIR /source
COPY . .
RUN make dashboard && .venv/bin/python -m pip wheel --no-deps --wheel-dir /wheels .

FROM python:3.13-slim-trixie
RUN apt-get update \
    && apt-get install -y --no-install-recommends chromium fonts-noto-core \
    && rm -rf /var/lib/apt/lists/*
COPY constraints.txt /wheels/
COPY --from=build /wheels /wheels
RUN pip install --no-cache-dir --constraint /wheels/constraints.txt \
        "$(echo /wheels/wavecrawl-*.whl)[serve,browser,knowledge,media]" \
    && rm -rf /wheels \
    && useradd --system --uid 10001 --create-home wavecrawl \
    && install --directory --owner=wavecrawl /data
# Docker's default profile has no user namespaces, which Chromium's own sandbox needs.
ENV WAVECRAWL_DATA=/data \
    WAVECRAWL_CHROMIUM_SANDBOX=off \
    PYTHONUNBUFFERED=1
USER wavecrawl
VOLUME /data
EXPOSE 8787
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s \
    CMD ["python", "-c", "from urllib.request import urlopen; urlopen('http://127.0.0.1:8787/health', timeout=4)"]
ENTRYPOINT ["wavecrawl"]
CMD ["serve", "--host", "0.0.0.0"]
