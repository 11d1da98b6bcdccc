"""Processing of downloaded media: images and documents are read in a child process."""
