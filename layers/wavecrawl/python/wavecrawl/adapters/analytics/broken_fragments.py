"""Links to parts of pages that do not exist."""

import duckdb


def build_broken_fragments(db: duckdb.DuckDBPyConnection) -> None:
    """Create table `broken_fragments`: source, target, final (end of its redirects), fragment and line of each link.

    A page whose names are not all known has no broken links to its parts: one that was read in part, whose scripts may
    add names and did not run, that an action of the visitor changes or that leads elsewhere. A redirect that names a
    part itself replaces that of the link. Scripts add no names if a browser loaded a page with the same
    scripts, and no such page got any. Fragments such as `q=1` are values for scripts, if the page has some.
    """
    db.execute(
        """
        CREATE TABLE harmless_scripts AS SELECT id_scripts FROM part_pages SEMI JOIN pages USING (key, wave)
        WHERE ids_added <> '' GROUP BY id_scripts HAVING bool_and(ids_added = 'none');
        CREATE TABLE named_pages AS
        SELECT q.id, p.anchors, p.id_scripts <> 0 AS scripted
        FROM pages q JOIN part_pages p USING (key, wave)
        WHERE q.is_html AND q.state IN ('fetched', 'unchanged') AND p.anchors IS NOT NULL
          AND (p.id_scripts = 0 OR q.rendered OR p.ids_added = 'none' OR p.id_scripts IN (FROM harmless_scripts))
          AND NOT p.redirect_fragment AND NOT q.truncated AND q.render_problem = '' AND (q.shell = '' OR q.rendered)
          AND q.needed_action = '' AND p.refresh = ''
        """
    )
    db.execute(
        """
        CREATE TABLE fragment_links AS
        SELECT f.source, f.target, n.final, f.part.fragment AS fragment, f.part.hashes AS hashes, f.part.line AS line
        FROM (
            SELECT u.source, u.part, if(u.part.link = 0, u.source, l.target) AS target
            FROM (
                SELECT q.id AS source, unnest(p.fragment_links) AS part
                FROM pages q JOIN part_pages p USING (key, wave) WHERE q.state IN ('fetched', 'unchanged')
            ) u LEFT JOIN links l ON l.source = u.source AND l.position = u.part.link
        ) f
        JOIN nodes n ON n.id = f.target JOIN named_pages k ON k.id = n.final
        WHERE NOT (k.scripted AND regexp_matches(f.part.fragment, '[=&?]')) AND (n.final = f.target OR f.target IN (
            SELECT r.id FROM pages r JOIN part_pages p USING (key, wave) JOIN urls e ON e.key = r.redirect_key
            JOIN nodes m ON m.id = r.id WHERE NOT p.redirect_fragment AND m.final = e.id))
        """
    )
    db.execute(
        """
        CREATE TABLE broken_fragments AS
        SELECT source, target, final, fragment, min(line) AS line
        FROM fragment_links ANTI JOIN (
            SELECT DISTINCT h.final, h.hashes
            FROM (SELECT DISTINCT final, hashes, unnest(hashes) AS hash FROM fragment_links) h
            SEMI JOIN (SELECT id, unnest(anchors) AS hash FROM named_pages) a ON a.id = h.final AND a.hash = h.hash
        ) found USING (final, hashes)
        GROUP BY source, target, final, fragment
        """
    )
    for table in ("harmless_scripts", "named_pages", "fragment_links"):
        db.execute(f"DROP TABLE {table}")
