#!/bin/sh
# Writes sitemap.xml of a site into a folder: sh sitemap.sh https://example.com/ public
set -eu
wavecrawl crawl "$1" --quiet --max-pages 50000
wavecrawl export sitemap --to "$2" --overwrite
