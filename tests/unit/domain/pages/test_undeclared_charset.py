"""Pages without a declared encoding. The texts are sentences as they stand on home pages of each country."""

import pytest

from wavecrawl.domain.pages.charset import decode_html
from wavecrawl.domain.pages.encodings import codec_of

WESTERN = (
    "Vår sida",
    "Målning",
    "Kött, fågel & smör på en ö i Öresund",
    "Å Ä Ö",
    "ÅÄÖ",
    "Über uns",
    "MÜNCHEN, ÖSTERREICH",
    "§ 5 Absatz 2 – „Anführung“, Straße, Grüße",
    "Hyvää päivää, yö ja työ, ääni",
    "Rødgrød med fløde på Ærø",
    "Bokmål",
    "Það er gott að búa á Íslandi. Þýðing: þú átt ð og þ.",
    "Føroyar eru á ferð",
    "Français",
    "Où êtes-vous ? C’est déjà l’été, cœur, garçon, œuvre créée, aïeul à bientôt",
    "«Ça va» – à la hauteur de façade",
    "¿Cómo llegó? ¿Dónde? ¡Mañana!",
    "piñata, jalapeño, pingüino",
    "nº 5, 1ª planta",
    "Informações",
    "A sua opinião é muito importante. Não deixe de conhecer as promoções da estação.",
    "Coração e mãe, irmãs, amanhã, põe, avó, avô",
    "Perché no? È già così, più caffè in città",
    "coöperatie, financiële, café, één",
    "Països Catalans, l’àvia, paral·lel",
    "Tá fáilte romhat",
    "Shqipëria është",
    "The café sells tea for £25 a box – “fresh”.",
    "£25",
    "25 °C, ½ cup, 10 m², 3 m³, 5 µm, ± 5 %, €5, ok™, ©2024, it’s …",
    "Zürich, Málaga, Tromsø, Besançon, São Paulo, Århus, Reykjavík",
)

OTHERS = (
    ("windows-1250", "Zażółć gęślą jaźń"),
    ("windows-1250", "Wrocław – większość mieszkańców"),
    ("iso-8859-2", "Strona główna. Zapraszamy na stronę naszej gminy, gdzie znajdą Państwo ważne wiadomości"),
    ("windows-1250", "Příliš žluťoučký kůň úpěl ďábelské ódy"),
    ("iso-8859-2", "Vítejte na našich stránkách, děkujeme za návštěvu"),
    ("windows-1250", "Ďakujeme, že ste navštívili našu stránku. Ľudia, päť, kôň"),
    ("windows-1250", "Árvíztűrő tükörfúrógép"),
    ("iso-8859-2", "Üdvözöljük honlapunkon, ahol időről időre frissülő híreket találhat"),
    ("iso-8859-2", "Bună ziua şi bine aţi venit în România"),
    ("windows-1250", "Dobrodošli na našu stranicu, što je čišćenje, đak"),
    ("windows-1254", "Hakkımızda ve iletişim bilgileri için tıklayın, güzel şeyler"),
    ("windows-1257", "Sveiki atvykę į mūsų svetainę, čia rasite žinių"),
    ("windows-1257", "Laipni lūdzam mūsu mājas lapā, kur jūs varat atrast ziņas"),
    ("windows-1251", "Мир"),
    ("koi8-r", "Мир"),
    ("windows-1251", "Новости и контакты"),
    ("koi8-r", "Новости и контакты"),
    ("iso-8859-5", "Главная страница"),
    ("ibm866", "Главная страница"),
    ("windows-1251", "Ласкаво просимо до України, її мова, єдність"),
    ("koi8-u", "Ласкаво просимо до України, її мова, єдність"),
    ("windows-1251", "Добре дошли в България, начална страница, новини"),
    ("windows-1251", "Добро дошли на нашу страницу, вести о Београду, љубав"),
    ("windows-1253", "Καλώς ήρθατε στην ιστοσελίδα μας"),
    ("iso-8859-7", "Αρχική σελίδα"),
    ("windows-1255", "ברוכים הבאים לאתר"),
    ("windows-1256", "مرحبا بكم في موقعنا"),
    ("windows-874", "ยินดีต้อนรับสู่เว็บไซต์"),
    ("shift_jis", "東京"),
    ("shift_jis", "ホームページへようこそ"),
    ("euc-jp", "お問い合わせ"),
    ("euc-jp", "株式会社テスト 2024年の新着情報一覧"),
    ("gbk", "首页"),
    ("gbk", "欢迎访问我们的网站"),
    ("big5", "首頁"),
    ("big5", "歡迎光臨我們的網站"),
    ("euc-kr", "안녕하세요"),
    ("euc-kr", "회사 소개"),
)

DECLARED_LANGUAGE = (  # too short to be recognised without the language
    ("pl", "iso-8859-2", "Łódź"),
    ("pl", "windows-1250", "Oświęcim"),
    ("cs", "windows-1250", "Úřední hodiny"),
    ("cs-CZ", "iso-8859-2", "Říjen"),
    ("hu", "windows-1250", "Főoldal"),
    ("sl", "iso-8859-2", "več o nas"),
    ("tr", "windows-1254", "İletişim"),
    ("et", "windows-1257", "šokolaad"),
    ("vi", "windows-1258", "Đà"),
    ("ru", "koi8-r", "О нас"),
    ("ja", "euc-jp", "HTML入門"),
    ("zh-Hant", "big5", "台"),
)

DOMAINS = (
    ("www.example.pl", "iso-8859-2", "Łódź"),
    ("example.cz:8080", "windows-1250", "Říjen"),
    ("example.COM.TR", "windows-1254", "İletişim"),
    ("example.jp", "shift_jis", "HTML入門"),
    ("example.tw", "big5", "台"),
    ("example.se", "windows-1252", "Vår"),
    ("site.ru", "windows-1251", "© 2024 Foo"),
    ("site.cz", "windows-1250", "© 2024"),
    ("site.pl", "windows-1250", "it’s a test"),
    ("127.0.0.1:80", "windows-1252", "Vår"),
    ("", "windows-1252", "Vår"),
)


def read(content: bytes, *, content_type: str = "text/html", host: str = "") -> str:
    html = decode_html(content, content_type, host=host).html
    assert isinstance(html, str)
    return html


@pytest.mark.parametrize("text", WESTERN)
@pytest.mark.parametrize("content_type", ["text/html", "text/html; charset=utf-8"])
def test_western_text_is_read_in_the_default_of_the_standard(text: str, content_type: str) -> None:
    page = f'<title>{text}</title><p>{text}</p><a href="/{text}">{text}</a>'
    assert read(page.encode("cp1252"), content_type=content_type) == page


@pytest.mark.parametrize(("encoding", "text"), OTHERS)
def test_other_text_is_read_in_the_encoding_that_makes_words_of_it(encoding: str, text: str) -> None:
    page = f"<html lang=en><title>{text}</title><p>ASCII words in between</p><b>{text}</b>"
    assert read(page.encode(codec_of(encoding))) == page


@pytest.mark.parametrize(("language", "encoding", "text"), DECLARED_LANGUAGE)
def test_the_language_of_the_page_decides_where_little_text_does_not(language: str, encoding: str, text: str) -> None:
    page = f'<!doctype html><html class="a" lang="{language}"><title>{text}</title>'
    assert read(page.encode(codec_of(encoding))) == page


@pytest.mark.parametrize(("host", "encoding", "text"), DOMAINS)
def test_the_top_level_domain_decides_where_no_language_is_declared(host: str, encoding: str, text: str) -> None:
    assert read(text.encode(codec_of(encoding)), host=host) == text


@pytest.mark.parametrize("language", ["en", "sv", "ru", "pl", "ja", "ku"])
def test_a_language_that_is_declared_wrongly_does_not_make_western_text_unreadable(language: str) -> None:
    page = f"<html lang={language}><p>Välkommen till vår sida på Öland, där målningar står i hörnet av ett kök.</p>"
    assert read(page.encode("cp1252")) == page


def test_a_foreign_name_does_not_change_the_encoding_of_a_page() -> None:
    page = "<p>Le modèle secrète déverrouillé, le numéro de série à côté, où l'on a été reçu; Yucatán, Tromsø</p>"
    assert read(page.encode("cp1252")) == page


def test_words_are_looked_for_beyond_a_long_word_and_within_a_limit() -> None:
    russian = "Новости и контакты".encode("cp1251")
    assert "Новости" in read(b"x" * 5_000 + b" " + russian)
    assert "Новости" in read("я".encode("cp1251") * 9_000 + b" " + russian)
    assert "Новости" not in read(b"\xe9t\xe9 " + b"x " * 150_000 + russian)
