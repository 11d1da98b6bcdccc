"""Makes the documents of tests/data/documents by as many programs as there are, from texts that are known.

It ran once, and its output is in the repository. To run it again, in an environment of its own:

    apt-get install libreoffice-writer-nogui abiword chromium cups-filters enscript ghostscript groff librsvg2-bin
        mupdf-tools pandoc poppler-utils qpdf texlive-latex-base texlive-luatex texlive-xetex fonts-dejavu-core
    pip install fpdf2 odfdo python-docx python-pptx reportlab weasyprint xlsxwriter
    python tests/support/sample_documents.py
"""

import json
import subprocess
from collections.abc import Callable
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory

OUT = Path(__file__).parents[1] / "data" / "documents"
TITLE, AUTHOR = "How the harbour works", "Ada Quay"
PLAIN = (
    "The harbour has seven gates, and each gate opens at high tide.",
    "Ships of up to 140 metres may enter; longer ones wait outside.",
    "A pilot comes aboard 30 minutes before a ship passes gate 3.",
    "The lighthouse was built in 1887 and still works without electricity.",
)
LIGATURES = (
    "The office files difficult affairs in a fluffy afflicted waffle.",
    "Efficient offices offer coffee.",
)
ACCENTS = (
    "Größere Schiffe müssen südlich der Mole ankern.",
    "L'écluse est fermée à Noël, même pour les pêcheurs.",
    "Dźwig podnosi łódź o świcie.",
)
SCRIPTS = (
    "Το λιμάνι ανοίγει το πρωί.",  # noqa: RUF001 - Greek
    "Маяк виден за двадцать миль.",
)
SECOND_PAGE = ("Page two lists the fees.", "A night at the quay costs 25 crowns.")
ALL = (*PLAIN, *LIGATURES, *ACCENTS, *SCRIPTS)
LATIN = (*PLAIN, *LIGATURES, *ACCENTS[:2])
ASCII = (*PLAIN, *LIGATURES)
CELLS = ("Gate", "Depth", "North", "12 m", "South", "9 m")
FONT = "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"

Make = Callable[[Path, Path], None]  # of a scratch folder and the file to write


def run(*command: object, cwd: Path, feed: str = "", to: Path | None = None) -> None:
    """Run a program, with its output in a file."""
    done = subprocess.run(
        [str(part) for part in command], cwd=cwd, input=feed.encode(), capture_output=True, check=True, timeout=300
    )
    if to is not None:
        to.write_bytes(done.stdout)


def page(texts: tuple[str, ...]) -> str:
    """Return an HTML page with the texts, a table and a second page."""
    rows = [CELLS[at : at + 2] for at in range(0, len(CELLS), 2)]
    cells = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    first = "".join(f"<p>{escape(text, quote=False)}</p>" for text in texts)
    second = "".join(f"<p>{text}</p>" for text in SECOND_PAGE)
    return (
        f"<!DOCTYPE html><html lang=en><head><meta charset=utf-8><title>{TITLE}</title><meta name=author "
        f"content='{AUTHOR}'><style>body{{font-family:'DejaVu Sans'}}</style></head><body><h1>{TITLE}</h1>{first}"
        f"<table>{cells}</table><div style='page-break-before:always'></div>{second}</body></html>"
    )


def latex(texts: tuple[str, ...], preamble: str = "") -> str:
    """Return a LaTeX document."""
    first, second = "\n\n".join(texts), "\n\n".join(SECOND_PAGE)
    return (
        f"\\documentclass{{article}}{preamble}\\title{{{TITLE}}}\\author{{{AUTHOR}}}\\date{{}}"
        f"\\begin{{document}}\\maketitle {first}\\newpage {second}\\end{{document}}"
    )


def office(kind: str, source: str = "page.html") -> Make:
    """LibreOffice Writer converts a file to another kind."""

    def make(scratch: Path, out: Path) -> None:
        (scratch / "page.html").write_text(page(ALL))
        if source != "page.html":
            office("odt:writer8")(scratch, scratch / source)
        profile = f"-env:UserInstallation=file://{scratch}/profile"
        command = ("soffice", profile, "--headless", "--convert-to", kind, "--outdir", scratch / "made")
        run(*command, *(("--infilter=HTML (StarWriter)",) if source == "page.html" else ()), source, cwd=scratch)
        (scratch / "made" / f"{Path(source).stem}.{kind.partition(':')[0]}").replace(out)

    return make


def tex(program: str, texts: tuple[str, ...], preamble: str = "") -> Make:
    def make(scratch: Path, out: Path) -> None:
        (scratch / "page.tex").write_text(latex(texts, preamble))
        run(program, "-interaction=batchmode", "page.tex", cwd=scratch)
        (scratch / "page.pdf").replace(out)

    return make


def chromium(scratch: Path, out: Path) -> None:
    (scratch / "page.html").write_text(page(ALL))
    run("chromium", "--headless", "--no-sandbox", "--no-pdf-header-footer", f"--print-to-pdf={out}",
        scratch / "page.html", cwd=scratch)  # fmt: skip


def weasyprint(scratch: Path, out: Path) -> None:
    from weasyprint import HTML  # noqa: PLC0415 - see above

    HTML(string=page(ALL), base_url=str(scratch)).write_pdf(out)


def reportlab(scratch: Path, out: Path) -> None:
    from reportlab.lib.styles import getSampleStyleSheet  # noqa: PLC0415
    from reportlab.platypus import PageBreak, Paragraph, SimpleDocTemplate, Table  # noqa: PLC0415

    del scratch
    style = getSampleStyleSheet()["BodyText"]
    rows = [CELLS[at : at + 2] for at in range(0, len(CELLS), 2)]
    story = [*(Paragraph(text, style) for text in LATIN), Table(rows), PageBreak()]
    SimpleDocTemplate(str(out), title=TITLE, author=AUTHOR).build(
        [*story, *(Paragraph(text, style) for text in SECOND_PAGE)]
    )


def fpdf(scratch: Path, out: Path) -> None:
    from fpdf import FPDF  # noqa: PLC0415 - see above

    del scratch
    made = FPDF()
    made.set_title(TITLE)
    made.set_author(AUTHOR)
    made.add_font("dejavu", fname=FONT)
    for texts in (ALL, SECOND_PAGE):
        made.add_page()
        made.set_font("dejavu", size=12)
        for text in texts:
            made.multi_cell(0, 8, text, new_x="LMARGIN", new_y="NEXT")
    made.output(str(out))


def roff() -> str:
    first, second = ("\n.PP\n".join(texts).replace("'", "\\(aq") for texts in (LATIN, SECOND_PAGE))
    return f".TL\n{TITLE}\n.AU\n{AUTHOR}\n.PP\n{first}\n.bp\n.PP\n{second}\n"


def groff(scratch: Path, out: Path) -> None:
    run("groff", "-k", "-ms", "-Tpdf", cwd=scratch, feed=roff(), to=out)


def ghostscript(scratch: Path, out: Path) -> None:
    run("groff", "-k", "-ms", "-Tps", cwd=scratch, feed=roff(), to=scratch / "page.ps")
    run("ps2pdf", "page.ps", out, cwd=scratch)


def enscript(scratch: Path, out: Path) -> None:
    feed = "\n\n".join(ASCII) + "\f" + "\n\n".join(SECOND_PAGE)
    run("enscript", "-q", "-B", "-p", "page.ps", cwd=scratch, feed=feed)
    run("ps2pdf", "page.ps", out, cwd=scratch)


def cairo(scratch: Path, out: Path) -> None:
    lines = "".join(f"<text x='20' y='{40 + 20 * at}'>{text}</text>" for at, text in enumerate(ALL))
    svg = f"<svg xmlns='http://www.w3.org/2000/svg' width='700' height='400' font-family='DejaVu Sans'>{lines}</svg>"
    (scratch / "page.svg").write_text(svg)
    run("rsvg-convert", "-f", "pdf", "-o", out, "page.svg", cwd=scratch)


def cups(scratch: Path, out: Path) -> None:
    (scratch / "page.txt").write_text("\n".join(ASCII) + "\f" + "\n".join(SECOND_PAGE))
    run("/usr/lib/cups/filter/texttopdf", 1, "user", TITLE, 1, "", "page.txt", cwd=scratch, to=out)


def changed(first: Make, *command: object) -> Make:
    """A program changes what another one made: it reads `in.pdf`, and `out.pdf` is its result."""

    def make(scratch: Path, out: Path) -> None:
        first(scratch, scratch / "in.pdf")
        run(*command, cwd=scratch)
        (scratch / "out.pdf").replace(out)

    return make


def abiword(scratch: Path, out: Path) -> None:
    (scratch / "page.html").write_text(page(LATIN))
    run("abiword", f"--to={out.suffix[1:]}", "-o", out, "page.html", cwd=scratch)


def pandoc(scratch: Path, out: Path) -> None:
    (scratch / "page.html").write_text(page(ALL))
    run("pandoc", "-f", "html", "-o", out, "page.html", cwd=scratch)


STRUCTURED = (TITLE, *PLAIN[:2], "Gates", "North", "Depth 12 m", "South", *SECOND_PAGE, "Fees", "Ship", "Crowns",
              "Cutter", "25", "Barge", "40", "More at the office")  # fmt: skip
"""The texts of a document with headings, nested and numbered lists, a table with a head, and a link."""


def structured(scratch: Path, out: Path) -> None:
    """Pandoc writes a document with structure."""
    (scratch / "page.html").write_text(
        f"<html><head><meta charset=utf-8><title>{TITLE}</title><meta name=author content='{AUTHOR}'></head><body>"
        f"<h1>{TITLE}</h1><p>{PLAIN[0]}</p><p>{PLAIN[1]}</p><h2>Gates</h2>"
        "<ul><li>North<ul><li>Depth 12 m</li></ul></li><li>South</li></ul>"
        f"<ol><li>{SECOND_PAGE[0]}</li><li>{SECOND_PAGE[1]}</li></ol><h2>Fees</h2>"
        "<table><thead><tr><th>Ship</th><th>Crowns</th></tr></thead><tbody><tr><td>Cutter</td><td>25</td></tr>"
        "<tr><td>Barge</td><td>40</td></tr></tbody></table>"
        "<p>More at <a href='https://example.com/office'>the office</a></p></body></html>"
    )
    run("pandoc", "-s", "-f", "html", "-o", out, "page.html", cwd=scratch)


def python_pptx(scratch: Path, out: Path) -> None:
    from pptx import Presentation  # noqa: PLC0415 - see above
    from pptx.util import Inches  # noqa: PLC0415 - the same

    del scratch
    made = Presentation()
    made.core_properties.title, made.core_properties.author = TITLE, AUTHOR
    slide = made.slides.add_slide(made.slide_layouts[1])
    slide.shapes.title.text = TITLE
    frame = slide.placeholders[1].text_frame
    frame.text = PLAIN[0]
    for text in PLAIN[1:]:
        added = frame.add_paragraph()
        added.text, added.level = text, 1
    slide = made.slides.add_slide(made.slide_layouts[5])
    slide.shapes.title.text = "Depths"
    table = slide.shapes.add_table(3, 2, Inches(1), Inches(2), Inches(6), Inches(2)).table
    for at, cell in enumerate(CELLS):
        table.cell(at // 2, at % 2).text = cell
    slide.notes_slide.notes_text_frame.text = SECOND_PAGE[0]
    box = slide.shapes.add_textbox(Inches(1), Inches(5), Inches(6), Inches(1)).text_frame
    box.text = SECOND_PAGE[1]
    made.save(str(out))


def xlsxwriter(scratch: Path, out: Path) -> None:
    from datetime import date  # noqa: PLC0415 - see above

    from xlsxwriter import Workbook  # noqa: PLC0415 - see above

    del scratch
    with Workbook(str(out)) as made:
        made.set_properties({"title": TITLE, "author": AUTHOR})
        sheet = made.add_worksheet("Gates")
        for at, cell in enumerate(CELLS):
            sheet.write(at // 2, at % 2, cell)
        sheet = made.add_worksheet("Fees")
        day = made.add_format({"num_format": "yyyy-mm-dd"})
        sheet.write_row(0, 0, ("Ship", "Crowns", "Since"))
        sheet.write_row(1, 0, ("Cutter", 25))
        sheet.write_datetime(1, 2, date(2026, 1, 31), day)
        sheet.write_row(3, 0, ("Barge", 40.5))
        sheet.write_formula(4, 1, "=B2+B4", value=65.5)
        made.add_worksheet("Secret").hide()


def odfdo_ods(scratch: Path, out: Path) -> None:
    from odfdo import Document, Table  # noqa: PLC0415 - see above

    del scratch
    made = Document("spreadsheet")
    made.meta.title, made.meta.creator = TITLE, AUTHOR
    made.body.clear()
    table = Table("Gates")
    for at, cell in enumerate(CELLS):
        table.set_value((at % 2, at // 2), cell)
    made.body.append(table)
    made.save(str(out))


def odfdo_odp(scratch: Path, out: Path) -> None:
    from odfdo import Document, DrawPage, Frame, List, ListItem  # noqa: PLC0415 - see above

    del scratch
    made = Document("presentation")
    made.meta.title, made.meta.creator = TITLE, AUTHOR
    made.body.clear()
    slide = DrawPage("page1", name="Slide")
    title = Frame.text_frame(TITLE, size=("7cm", "5cm"), position=("1cm", "1cm"), presentation_class="title")
    slide.append(title)
    listed = Frame.text_frame("", size=("7cm", "5cm"), position=("1cm", "6cm"), presentation_class="outline")
    box = listed.get_element("draw:text-box")
    box.clear()
    items = List()
    for text in PLAIN:
        items.append(ListItem(text))
    box.append(items)
    slide.append(listed)
    made.body.append(slide)
    made.save(str(out))


def python_docx(scratch: Path, out: Path) -> None:
    from docx import Document  # noqa: PLC0415 - see above

    del scratch
    made = Document()
    made.core_properties.title, made.core_properties.author = TITLE, AUTHOR
    made.add_heading(TITLE)
    for text in ALL:
        made.add_paragraph(text)
    table = made.add_table(rows=3, cols=2)
    for at, cell in enumerate(CELLS):
        table.cell(at // 2, at % 2).text = cell
    made.add_page_break()
    for text in SECOND_PAGE:
        made.add_paragraph(text, style="List Bullet")
    made.save(str(out))


LIBREOFFICE = office("pdf:writer_pdf_Export")
TAGGED = (
    'pdf:writer_pdf_Export:{"UseTaggedPDF":{"type":"boolean","value":"true"},'
    '"SelectPdfVersion":{"type":"long","value":"2"}}'
)
UNICODE = "\\usepackage{fontspec}\\setmainfont{DejaVu Serif}"
QPDF = ("qpdf", "in.pdf", "out.pdf")
WITH_TABLE, BOTH = (*CELLS, *SECOND_PAGE), SECOND_PAGE

MADE: dict[str, tuple[Make, tuple[str, ...]]] = {
    "libreoffice.pdf": (LIBREOFFICE, (TITLE, *ALL, *WITH_TABLE)),
    "libreoffice-pdfa.pdf": (office(TAGGED), (TITLE, *ALL, *WITH_TABLE)),
    "chromium.pdf": (chromium, (TITLE, *ALL, *WITH_TABLE)),
    "weasyprint.pdf": (weasyprint, (TITLE, *ALL, *WITH_TABLE)),
    "reportlab.pdf": (reportlab, (*LATIN, *WITH_TABLE)),
    "fpdf2.pdf": (fpdf, (*ALL, *BOTH)),
    "pdftex.pdf": (tex("pdflatex", ASCII), (TITLE, AUTHOR, *ASCII, *BOTH)),
    "xetex.pdf": (tex("xelatex", ALL, UNICODE), (TITLE, *ALL, *BOTH)),
    "luatex.pdf": (tex("lualatex", ASCII), (TITLE, *ASCII, *BOTH)),
    "groff.pdf": (groff, (TITLE, AUTHOR, *LATIN, *BOTH)),
    "ghostscript.pdf": (ghostscript, (TITLE, AUTHOR, *LATIN, *BOTH)),
    "enscript.pdf": (enscript, (*ASCII, *BOTH)),
    "cairo.pdf": (cairo, ALL),
    "cups.pdf": (cups, (*ASCII, *BOTH)),
    "abiword.pdf": (abiword, (TITLE, *LATIN, *BOTH)),
    "qpdf-linearized.pdf": (changed(LIBREOFFICE, "qpdf", "--linearize", *QPDF[1:]), (TITLE, *ALL, *WITH_TABLE)),
    "qpdf-object-streams.pdf": (
        changed(weasyprint, "qpdf", "--object-streams=generate", *QPDF[1:]), (TITLE, *ALL, *WITH_TABLE)),
    "qpdf-encrypted.pdf": (
        changed(chromium, "qpdf", "--encrypt", "", "owner", "256", "--print=none", "--", *QPDF[1:]),
        (TITLE, *ALL, *WITH_TABLE)),
    "ghostscript-of-chromium.pdf": (changed(chromium, "ps2pdf", *QPDF[1:]),  # which loses the meaning of ligatures
        (TITLE, *PLAIN, *WITH_TABLE)),
    "mupdf-of-libreoffice.pdf": (
        changed(LIBREOFFICE, "mutool", "clean", "-gggg", "-z", "in.pdf", "out.pdf"), (TITLE, *ALL, *WITH_TABLE)),
    "poppler-of-reportlab.pdf": (
        changed(reportlab, "pdfunite", "in.pdf", "in.pdf", "out.pdf"), (*LATIN, *WITH_TABLE, *LATIN, *WITH_TABLE)),
    "libreoffice.docx": (office("docx:MS Word 2007 XML", "page.odt"), (TITLE, *ALL, *WITH_TABLE)),
    "libreoffice-ooxml.docx": (office("docx:Office Open XML Text", "page.odt"), (TITLE, *ALL, *WITH_TABLE)),
    "pandoc.docx": (pandoc, (TITLE, *ALL, *WITH_TABLE)),
    "python-docx.docx": (python_docx, (TITLE, *ALL, *WITH_TABLE)),
    "pandoc-structured.docx": (structured, STRUCTURED),
    "pandoc.odt": (structured, STRUCTURED),
    "pandoc.epub": (structured, STRUCTURED),
    "pandoc.rtf": (structured, STRUCTURED),
    "pandoc.pptx": (structured, STRUCTURED),
    "python-pptx.pptx": (python_pptx, (TITLE, *PLAIN, "Depths", *CELLS, SECOND_PAGE[1], SECOND_PAGE[0])),
    "xlsxwriter.xlsx": (xlsxwriter, ("Gates", *CELLS, "Fees", "Ship", "Cutter", "2026-01-31", "Barge", "40.5", "65.5")),
    "odfdo.ods": (odfdo_ods, ("Gates", *CELLS)),
    "odfdo.odp": (odfdo_odp, (TITLE, *PLAIN)),
    "abiword.docx": (abiword, (TITLE, *LATIN, *BOTH)),
}  # fmt: skip


def main() -> None:
    """Make the documents, and write what they contain."""
    OUT.mkdir(parents=True, exist_ok=True)
    for name, (make, _) in MADE.items():
        with TemporaryDirectory() as scratch:
            make(Path(scratch), OUT / name)
        print(name, (OUT / name).stat().st_size)
    contents = {name: texts for name, (_, texts) in sorted(MADE.items())}
    (OUT / "contents.json").write_text(json.dumps(contents, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
