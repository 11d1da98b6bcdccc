r"""Formulas are written once: as TeX between dollar signs in Markdown, and as TeX alone in the plain text."""

import pytest
from tests.support.page_texts import markdown, text

MATHML = "<mi>E</mi><mo>=</mo><mi>m</mi><msup><mi>c</mi><mn>2</mn></msup>"
TEX = "<annotation encoding='application/x-tex'>{}</annotation>"
ANNOTATED = f"<semantics><mrow>{MATHML}</mrow>{TEX.format('E=mc^2')}</semantics>"


@pytest.mark.parametrize(
    "html",
    [
        f"<math>{ANNOTATED}</math>",
        f"<math>{MATHML}</math>",
        "<math alttext='{\\displaystyle E=mc^2}'><mi>x</mi></math>",
        "<math data-latex='\\textstyle E=mc^2'><mi>x</mi></math>",
        (
            f"<span class=katex><span class=katex-mathml><math>{ANNOTATED}</math></span>"
            "<span class=katex-html aria-hidden=true><span>E</span><span>=mc2</span></span></span>"
        ),
        (
            "<span class=MathJax_Preview>E</span> <span class=MathJax><nobr aria-hidden=true>E=mc2</nobr>"
            f"<span class=MJX_Assistive_MathML><math>{MATHML}</math></span></span>"
            "<script type='math/tex'>E=mc^2</script>"
        ),
        "<mjx-container jax=CHTML><mjx-math data-latex='E=mc^2' aria-hidden=true>E</mjx-math></mjx-container>",
        "<script type='math/tex'>% comment\nE=mc^2</script>",
        (
            "<mjx-container><mjx-math aria-hidden=true>E</mjx-math><mjx-assistive-mml>"
            f"<math>{MATHML}</math></mjx-assistive-mml></mjx-container>"
        ),
        (
            f"<span class=mwe-math-element><span style='display: none;'><math>{ANNOTATED}</math></span>"
            "<img class=mwe-math-fallback-image-inline aria-hidden=true alt='{\\displaystyle E=mc^2}'></span>"
        ),
        '<img class="tex" alt="E=mc^2">',
        "<img class=latex alt='E=mc^2'>",
        "<span class='math notranslate'>\\(E=mc^2\\)</span>",
        "<span class=math-container>$E=mc^2$</span>",
    ],
)
def test_a_formula_stands_once(html: str) -> None:
    assert markdown(f"<p>Energy <b>is</b> {html}, he said.") == "Energy **is** $E=mc^2$, he said."
    assert text(f"<p>Energy is {html}, he said.") == "Energy is E=mc^2, he said."


@pytest.mark.parametrize(
    "html",
    [
        f"<math display=block>{ANNOTATED}</math>",
        f"<span class=katex-display><span class=katex><math>{ANNOTATED}</math></span></span>",
        "<div class=MathJax_Display>x</div><script type='math/tex; mode=display'>E=mc^2</script>",
        f"<mjx-container display=true><math>{MATHML}</math></mjx-container>",
        "<mjx-container jax=CHTML display=true><mjx-math data-latex='E=mc^2'>E</mjx-math></mjx-container>",
        (
            "<span class='mjx-chtml MJXc-display'><span class='mjx-chtml MathJax_CHTML'><span class=mjx-math>E</span>"
            "</span></span><script type='math/tex; mode=display'>E=mc^2</script>"
        ),
        "<img class=mwe-math-fallback-image-display alt='E=mc^2'>",
        "<div class=math>\\(E=mc^2\\)</div>",
        "<span class=arithmatex>\\[E=mc^2\\]</span>",
        "<span class=math-container>$$E=mc^2$$</span>",
    ],
)
def test_a_displayed_formula_is_a_paragraph(html: str) -> None:
    assert markdown(f"<p>a {html} b") == "a\n\n$$E=mc^2$$\n\nb"


@pytest.mark.parametrize(
    ("mathml", "tex"),
    [
        ("<mfrac><mn>1</mn><mn>2</mn></mfrac><mfrac><mn>3</mn></mfrac>", "\\frac{1}{2}3"),
        (
            "<msqrt><mi>x</mi><mn>1</mn></msqrt><mroot><mi>x</mi><mn>3</mn></mroot><mroot><mi>y</mi></mroot>",
            "\\sqrt{x1}\\sqrt[3]{x}\\sqrt{y}",
        ),
        (
            "<msubsup><mo>\u2211</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mi>n</mi></msubsup><mi>i</mi>",
            "\u2211_{i=1}^ni",
        ),
        ("<msup><mrow><mi>a</mi><mi>b</mi></mrow><mn>10</mn></msup><msup></msup>", "{ab}^{10}"),
        ("<mover><mi>v</mi><mo>\u2192</mo></mover><munder><mi>lim</mi><mi>n</mi></munder>", "\\vec{v}\\lim_n"),
        ("<mi>sin</mi><mi>x</mi><mi>foo</mi><mo>{</mo><mo>\u2062</mo>", "\\sin x\\operatorname{foo}\\{"),
        ("<mtext>if  x</mtext><mtext> </mtext><ms>s</ms><mphantom><mi>p</mi></mphantom>", "\\text{if x}\\text{s}"),
        (
            "<mtable><mtr><mtd>1</mtd><mtd>2</mtd></mtr><mlabeledtr><mtd>(1)</mtd><mtd>3</mtd></mlabeledtr></mtable>",
            "\\begin{matrix}1 & 2 \\\\ 3\\end{matrix}",
        ),
        (
            "<mfenced><mi>a</mi><mi>b</mi></mfenced><mmultiscripts><mi>C</mi><mi>k</mi><none></none></mmultiscripts>",
            "(a,b)C_k",
        ),
        (
            "<semantics><mi>y</mi>" + TEX.format("{\\displaystyle {\\frac {a}{b}}+\\%}") + "</semantics>",
            "{\\frac {a}{b}}+\\%",
        ),
        ("<semantics><mi>y</mi>" + TEX.format("{\\displaystyle a}+{b}") + "</semantics>", "{\\displaystyle a}+{b}"),
    ],
)
def test_mathml_as_tex(mathml: str, tex: str) -> None:
    assert markdown(f"<p>a <math>{mathml}</math>") == f"a ${tex}$"


def test_the_elements_of_a_formula_may_nest_deeply() -> None:
    deep = "<mrow>" * 200 + "<mi>x</mi>" + "</mrow>" * 200
    assert markdown(f"a<math>{deep}</math>") == "a"


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<math></math>a<math><mi>x</mi></math>7", "a`x`7"),
        ("<math><mtext>$</mtext></math>", "`\\text{$}`"),
        ("<code>a <math><mi>x</mi></math></code> <em><math><mi>y</mi></math></em>", "`a x` *$y$*"),
        ("<h2>a <math display=block><mi>x</mi></math> b</h2>", "## a $x$ b"),
        ("<p><math><mi>x</mi></math> costs $5", "$x$ costs \\$5"),
        ("<p>$5 and $6, $HOME and $PATH", "$5 and $6, $HOME and $PATH"),
        ("<p>US$5/US$6", "US$5/US$6"),
        ("<p>$HOME/bin:$PATH $$a$$", "\\$HOME/bin:\\$PATH \\$\\$a\\$\\$"),
        ("<p>$5 <a href=/a$b>c</a>", "\\$5 [c](https://example.com/a$b)"),
        (
            "<table><tr><th>a<th><math><mo>|</mo><mi>x</mi></math><tr><td>$a$<td>b</table>",
            "| a | $\\|x$ |\n| --- | --- |\n| \\$a\\$ | b |",
        ),
        ("<p><span class=math>x<sup>2</sup></span> <span class=math>\\(y</span> <script>math</script>", "x^2 \\\\(y"),
        ("a <script type=math/tex>x</script> b <script type=math/tex>y</script>", "a $x$ b $y$"),
        ("<p class=math></p>a", "a"),
        ("<mjx-container jax=CHTML><mjx-math>E</mjx-math></mjx-container>", "E"),
        ("<math><annotation encoding=x>y</annotation><mi>x</mi></math>", "$x$"),
        ("<math><mtext>a<math><mi>x</mi></math></mtext></math>", "$\\text{ax}$"),
    ],
)
def test_formulas_beside_other_text(html: str, expected: str) -> None:
    assert markdown(html) == expected
