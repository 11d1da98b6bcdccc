"""The wheel has all files of the package, and its `wavecrawl serve` serves the dashboard."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
import requests
from tests.support.campaign import slow
from tests.support.dashboard import must_be_built
from tests.support.patience import HANG
from tests.support.serving import PROGRAM

ROOT = Path(__file__).parents[3]
PACKAGE = ROOT / "layers" / "wavecrawl" / "python" / "wavecrawl"
pytestmark = slow  # builds the wheel


@pytest.fixture(name="wheel", scope="module")
def a_built_wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    must_be_built()
    folder = tmp_path_factory.mktemp("wheel")
    options = ["--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir", str(folder)]
    subprocess.run([sys.executable, "-m", "pip", "wheel", *options, str(ROOT)], check=True, timeout=HANG)
    (wheel,) = folder.glob("wavecrawl-*.whl")
    return wheel


def test_the_wheel_has_all_files_of_the_package_and_no_others(wheel: Path) -> None:
    expected = {one.relative_to(PACKAGE.parent) for one in PACKAGE.rglob("*") if one.is_file()}
    expected = {one for one in expected if one.suffix != ".pyc"}
    with zipfile.ZipFile(wheel) as opened:
        found = {Path(name) for name in opened.namelist()}
    packaged = {one for one in found if not one.parts[0].endswith(".dist-info")}
    assert Path("wavecrawl/dashboard_files/index.html") in packaged
    assert Path("wavecrawl/adapters/analytics/report/report.css") in packaged
    assert packaged == expected
    assert {one.name for one in found - packaged} >= {"METADATA", "LICENSE", "entry_points.txt"}


def test_serve_of_an_installed_wheel_has_the_dashboard(wheel: Path, tmp_path: Path) -> None:
    installed = tmp_path / "installed"
    with zipfile.ZipFile(wheel) as opened:
        opened.extractall(installed)
    environment = {"PYTHONPATH": str(installed), "PATH": "/usr/bin:/bin", "PYTHONUNBUFFERED": "1"}
    command = [*PROGRAM, "--data", str(tmp_path / "data"), "--port", "0"]
    with subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            line = next(line for line in process.stdout if "http://" in line)
            url = next(word for word in line.split() if word.startswith("http://")).partition("#")[0].rstrip("/")
            page = requests.get(f"{url}/", timeout=HANG)
        finally:
            process.terminate()
    assert page.status_code == 200
    assert '<div id="app"' in page.text
