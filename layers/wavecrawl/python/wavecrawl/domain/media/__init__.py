"""Media: images, videos and documents that pages use."""
