"""WACZ 1.1.1: a crawl's WARCs in one file that replay tools open (https://specs.webrecorder.net/wacz/1.1.1/)."""
