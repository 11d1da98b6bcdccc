"""Files for people with spreadsheets, written from the exports of a crawl. No function of the cloud imports them."""
