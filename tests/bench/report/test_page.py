"""The page in a real browser: readable on a telephone and in the dark, and nothing is fetched."""

import json
import re

import pytest
from selenium.webdriver.common.by import By

from qiskit_arcmaes.bench.report import write_report
from qiskit_arcmaes.bench.report.figures import Written
from qiskit_arcmaes.bench.report.page import LIMIT, page
from qiskit_arcmaes.bench.report.style import family_of
from qiskit_arcmaes.viz.colours import written_name

from .browser import open_browser
from .sweep import BUDGETS, COMMAND, METHODS, run_small_sweep

TELEPHONE, DESKTOP = 390, 1200  # pixels


@pytest.fixture(scope="module")
def chrome(tmp_path_factory):
    sweep = run_small_sweep(tmp_path_factory.mktemp("page") / "sweep", BUDGETS[:1])
    path = write_report(sweep.directory)
    with open_browser(tmp_path_factory.mktemp("profile")) as browser:
        browser.get(path.as_uri())
        yield browser


def show(chrome, width=DESKTOP, scheme="light"):
    """The page on a screen of this width, in a light or a dark scheme."""
    screen = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width == TELEPHONE}
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    chrome.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
    chrome.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    chrome.refresh()


def brightness(colour):
    return sum(map(int, re.findall(r"\d+", colour)[:3])) / 3


def test_the_page_opens_without_an_error_and_without_the_network(chrome):
    assert [entry for entry in chrome.get_log("browser") if entry["level"] == "SEVERE"] == []
    messages = [json.loads(entry["message"])["message"] for entry in chrome.get_log("performance")]
    asked = [
        message["params"]["request"]["url"]
        for message in messages
        if message["method"] == "Network.requestWillBeSent"
        if message["params"]["documentURL"].startswith("file:")  # not of the browser's own tab
    ]
    assert asked
    assert [url for url in asked if not url.startswith(("file:", "data:"))] == []


@pytest.mark.parametrize("width", [TELEPHONE, DESKTOP])
def test_only_boxes_scroll_sideways_never_the_page(chrome, width):
    show(chrome, width)
    assert chrome.execute_script("return document.documentElement.scrollWidth") <= width
    boxes = chrome.find_elements(By.CSS_SELECTOR, ".scroll, .figure")
    assert len(boxes) > 10
    assert {box.value_of_css_property("overflow-x") for box in boxes} == {"auto"}
    wide = chrome.execute_script(
        "return [...document.querySelectorAll('.scroll, .figure')]"
        ".filter((box) => box.scrollWidth > box.clientWidth + 1).length"
    )
    assert (wide > 0) == (width == TELEPHONE)


@pytest.mark.parametrize("width", [TELEPHONE, DESKTOP])
def test_letters_are_large_enough_in_every_figure(chrome, width):
    show(chrome, width)
    heights = chrome.execute_script(
        "return [...document.querySelectorAll('.figure svg text')]"
        ".map((text) => parseFloat(getComputedStyle(text).fontSize)"
        " * text.getScreenCTM().a || 99)"
    )
    assert len(heights) > 50
    assert min(heights) >= 7  # pixels; 99 is a text that stands upright


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_ink_and_ground_follow_the_scheme(chrome, scheme):
    show(chrome, scheme=scheme)
    body = chrome.find_element(By.TAG_NAME, "body")
    ground = brightness(body.value_of_css_property("background-color"))
    text = chrome.find_element(By.CSS_SELECTOR, ".figure svg text")
    inks = [body.value_of_css_property("color"), text.value_of_css_property("fill")]
    if scheme == "light":
        assert ground > 240
        assert all(brightness(ink) < 60 for ink in inks)
    else:
        assert ground < 40
        assert all(brightness(ink) > 200 for ink in inks)


def test_it_has_all_sections_and_figures_and_says_how_it_was_made(chrome):
    show(chrome)
    text = chrome.find_element(By.TAG_NAME, "body").text
    assert COMMAND in text
    assert "qiskit-arcmaes 0." in text
    assert "root seed 1" in text
    assert chrome.find_element(By.TAG_NAME, "h1").text == "A <small> sweep"
    headings = [each.text for each in chrome.find_elements(By.TAG_NAME, "h2")]
    assert {"All problems at once", "Error over shots", "Methods"} <= set(headings)
    assert len(chrome.find_elements(By.CSS_SELECTOR, ".figure svg")) == 7
    first = chrome.find_element(By.CSS_SELECTOR, ".figure svg").text
    names = [written_name(family_of(method)) for method in METHODS]
    assert all(word in first for word in (*names, "sphere", "chemical accuracy", "H₂"))


def test_numbers_in_figures_are_whole(chrome):
    """Lines are drawn with fewer digits than matplotlib writes; texts keep theirs."""
    texts = [each.text for each in chrome.find_elements(By.CSS_SELECTOR, ".figure svg text")]
    assert {"0.00", "0.25", "0.50", "0.75", "1.00"} <= set(texts)


def test_every_id_is_there_once(chrome):
    ids = chrome.execute_script("return [...document.querySelectorAll('[id]')].map((e) => e.id)")
    assert len(ids) > 20
    assert len(set(ids)) == len(ids)


def test_a_page_never_exceeds_its_limit_and_says_what_is_left_out():
    figures = [Written(name, name, "<svg>" + "x" * (LIMIT // 2) + "</svg>") for name in "ab"]
    text = "# Large\n\n" + "\n\n".join(
        f"![{each.name}](figures/{each.name}.png)" for each in figures
    )
    made = page(text, figures)
    assert len(made.encode()) <= LIMIT
    assert made.count("<svg") == 1
    assert made.count("too large for the page") == 1
