"""What a crawl archives besides its pages."""
