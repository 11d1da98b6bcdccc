#!/bin/sh
# Writes crawl.wacz, with all pages, their images, styles and scripts, into a folder: sh archive.sh https://example.com/ archive
set -eu
wavecrawl crawl "$1" --quiet --archive full
wavecrawl export wacz --to "$2" --overwrite
