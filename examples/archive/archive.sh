#!/bin/sh
# Writes crawl.wacz, with all pages and their images, into a folder: sh archive.sh https://example.com/ archive
set -eu
wavecrawl crawl "$1" --quiet --media images
wavecrawl export wacz --to "$2" --overwrite
