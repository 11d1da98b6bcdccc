"""Hostile behaviours of sites, as tables: what a server sends, and what must become of it.

`transport`: HTTP against its rules, with the exchange. `pages_*`: responses for pages, with the record. `robots`:
robots.txt, with what it allows. `sitemaps`: sitemap files, with what is read. `addresses`: URLs that must not be
requested. `reading` serves and reads them; `suite` has all of them by name.
"""
