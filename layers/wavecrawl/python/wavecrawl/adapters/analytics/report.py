"""report.html"""


def write_report(db, summary, folder):
    (folder / "report.html").write_text("x")
