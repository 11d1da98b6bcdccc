"""What the checks of pages read from the parts, besides the tables of the other modules."""

import duckdb

from wavecrawl.adapters.analytics.database import streamed
from wavecrawl.domain.pages.language_codes import hreflang_problem


def build_issue_tables(db: duckdb.DuckDBPyConnection) -> None:
    """Create the tables `checked` and `wrong_codes`.

    `checked` has a row per HTML page that was read. `policies` is NULL if the version that fetched the page did not
    read them.
    """
    db.execute(
        """
        CREATE VIEW read_pages AS
        SELECT q.id, p.* FROM pages q JOIN part_pages p USING (key, wave)
        WHERE q.is_html AND q.state IN ('fetched', 'unchanged')
        """
    )
    db.execute(
        """
        CREATE TABLE checked AS
        SELECT id, h1s[1] AS h1, len(h1s) AS h1s, other_canonicals, images_without_alt, example_images,
               [part FOR part IN insecure IF part.element <> 'form'] AS insecure_parts,
               [part.url FOR part IN insecure IF part.element = 'form'] AS insecure_forms,
               CASE WHEN header_policies IS NOT NULL THEN list_concat(header_policies, policies) END AS policies,
               refresh, decoded_bytes, outside_head, json_ld_problems
        FROM (SELECT *, [h.text FOR h IN headings IF h.level = 1] AS h1s FROM read_pages)
        """
    )
    codes = streamed(db, "SELECT DISTINCT language FROM alternates ORDER BY language")
    wrong = [(code, problem) for (code,) in codes if (problem := hreflang_problem(code))]
    db.execute(
        "CREATE TABLE wrong_codes AS SELECT unnest(?)::VARCHAR AS language, unnest(?)::VARCHAR AS problem",
        [[code for code, _ in wrong], [problem for _, problem in wrong]],
    )
