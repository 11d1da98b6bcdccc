"""URLs: parsing, identity, scope, which links are followed."""
