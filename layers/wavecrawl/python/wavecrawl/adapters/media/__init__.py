"""Processing of downloaded media: Pillow, pypdf and mammoth, in a child process."""
