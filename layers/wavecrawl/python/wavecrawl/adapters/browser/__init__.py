"""The browser: Chromium through Playwright, and the proxy that all its traffic goes through."""
