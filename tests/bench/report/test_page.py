"""The page in a real browser: what is clicked changes what is drawn, and nothing is fetched."""

import json
import re

import numpy as np
import pytest
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import Select

from qiskit_arcmaes.bench.report.groups import groups_of
from qiskit_arcmaes.bench.report.html import page
from qiskit_arcmaes.bench.report.page_data import page_data
from qiskit_arcmaes.bench.report.tables import ranking

from .browser import open_browser
from .sweep import BUDGETS, COMMAND, METHODS, run_crowded_sweep, run_small_sweep


@pytest.fixture(scope="module")
def sweep(tmp_path_factory):
    return run_small_sweep(tmp_path_factory.mktemp("page") / "sweep")


@pytest.fixture(scope="module")
def chrome(sweep, tmp_path_factory):
    path = sweep.directory / "report.html"
    path.write_text(page(page_data(sweep)), encoding="utf-8")
    with open_browser(tmp_path_factory.mktemp("profile")) as browser:
        browser.get(path.as_uri())
        yield browser


@pytest.fixture(autouse=True)
def _fresh(chrome):
    chrome.refresh()


def curves(chrome, part):
    """Method to the path that is drawn for it."""
    groups = chrome.find_elements(By.CSS_SELECTOR, f"#{part} svg.chart g[data-name]")
    return {
        group.get_attribute("data-name"): group.find_element(
            By.CSS_SELECTOR, "path.series"
        ).get_attribute("d")
        for group in groups
    }


def pick(chrome, part, field, text):
    element = chrome.find_element(By.CSS_SELECTOR, f"#{part} select[data-picker={field}]")
    Select(element).select_by_visible_text(text)


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


def test_every_method_has_a_curve_and_a_picker_takes_it_away_and_back(chrome):
    before = curves(chrome, "ecdf")
    assert set(before) == set(METHODS)
    button = chrome.find_element(By.CSS_SELECTOR, "#methods button[data-method=uh]")
    button.click()
    assert set(curves(chrome, "ecdf")) == set(METHODS) - {"uh"}
    assert set(curves(chrome, "convergence")) == set(METHODS) - {"uh"}
    assert button.get_attribute("aria-pressed") == "false"
    button.click()
    assert curves(chrome, "ecdf") == before


@pytest.mark.parametrize(
    ("part", "field", "text"),
    [
        ("ecdf", "problem", "trid"),
        ("ecdf", "noise", "τ² = 10"),
        ("ecdf", "budget", "2·10³ shots"),
        ("convergence", "problem", "trid"),
        ("convergence", "noise", "τ² = 10"),
        ("budget", "problem", "trid"),
    ],
)
def test_a_picker_changes_the_plot(chrome, part, field, text):
    before = curves(chrome, part)
    pick(chrome, part, field, text)
    after = curves(chrome, part)
    assert after
    assert all(after[name] != before[name] for name in after)


def test_the_curves_show_the_right_runs(chrome, sweep):
    """Each level of the ECDF of trid at one noise level is a multiple of 1/3: three runs."""
    pick(chrome, "ecdf", "problem", "trid")
    pick(chrome, "ecdf", "noise", "τ² = 10")
    drawn = curves(chrome, "ecdf")["frugal"]
    heights = {float(height) for height in re.findall(r"[V,]([\d.]+)", drawn)}
    low, high = max(heights), min(heights)
    group = next(
        c
        for c in groups_of(sweep)
        if c.method == "frugal" and c.condition.problem == "function:trid"
        if c.condition.noise == 10.0 and c.condition.budget == BUDGETS[1]
    )
    steps = np.arange(1 + np.unique(group.errors).size) / group.errors.size
    shares = sorted((low - height) / (low - high) for height in heights)
    assert shares == pytest.approx(steps, abs=1e-3)


def test_the_ranking_is_that_of_the_tables(chrome, sweep):
    pick(chrome, "ranking", "dim", "d = 2")
    pick(chrome, "ranking", "budget", "2·10⁴ shots")
    rows = chrome.find_elements(By.CSS_SELECTOR, "#ranking tbody tr")
    shown = [row.find_elements(By.TAG_NAME, "td") for row in rows]
    groups = [
        c for c in groups_of(sweep) if c.condition.dim == 2 and c.condition.budget == BUDGETS[1]
    ]
    wanted = [(row.method, f"{row.wins} of {row.conditions}") for row in ranking(groups)]
    assert [(groups[0].text, groups[-1].text) for groups in shown] == wanted


def test_the_pointer_brings_up_the_figures_of_all_methods(chrome):
    chart = chrome.find_element(By.CSS_SELECTOR, "#convergence svg.chart")
    chrome.execute_script("arguments[0].scrollIntoView({block: 'center'})", chart)
    tip = chrome.find_element(By.ID, "tip")
    assert not tip.is_displayed()
    ActionChains(chrome).move_to_element_with_offset(chart, 200, 0).perform()
    assert tip.is_displayed()
    assert all(method in tip.text for method in METHODS)
    assert len(chrome.find_elements(By.CSS_SELECTOR, "#convergence g.faded")) == len(METHODS) - 1


def test_light_and_dark(chrome):
    def ground():
        body = chrome.find_element(By.TAG_NAME, "body")
        return sum(map(int, re.findall(r"\d+", body.value_of_css_property("background-color"))[:3]))

    before = ground()
    chrome.find_element(By.ID, "theme").click()
    assert (before > 600) != (ground() > 600)


def test_the_command_the_versions_and_the_title_are_told(chrome):
    text = chrome.find_element(By.TAG_NAME, "body").text
    assert COMMAND in text
    assert "qiskit-arcmaes 0." in text
    assert "root seed 1" in text
    assert chrome.find_element(By.TAG_NAME, "h1").text == "A <small> sweep"


def test_when_nothing_is_chosen_the_page_says_so(chrome):
    for button in chrome.find_elements(By.CSS_SELECTOR, "#methods button[data-method]"):
        button.click()
    assert "No method is chosen." in chrome.find_element(By.ID, "ecdf").text
    chrome.find_element(By.CSS_SELECTOR, "#methods .all").click()
    assert set(curves(chrome, "ecdf")) == set(METHODS)


def test_of_many_methods_the_best_ten_are_shown_at_first(chrome, tmp_path):
    sweep = run_crowded_sweep(tmp_path / "sweep")
    path = tmp_path / "report.html"
    path.write_text(page(page_data(sweep)), encoding="utf-8")
    home = chrome.current_url
    try:
        chrome.get(path.as_uri())
        assert [entry for entry in chrome.get_log("browser") if entry["level"] == "SEVERE"] == []
        buttons = chrome.find_elements(By.CSS_SELECTOR, "#methods button[data-method]")
        pressed = {
            button.get_attribute("data-method")
            for button in buttons
            if button.get_attribute("aria-pressed") == "true"
        }
        order = [row.method for row in ranking(groups_of(sweep))]
        assert len(buttons) == 12
        assert pressed == {"frugal", *order[:10]}
        assert set(curves(chrome, "ecdf")) == pressed
    finally:
        chrome.get(home)
