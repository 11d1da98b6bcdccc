"""The link graph: depths, PageRank, orphans, issues, changes between crawls."""
