"""A real browser for the tests of the page."""

import os
import shutil
from contextlib import contextmanager

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.service import Service

REQUIRED = "ARCMAES_BROWSER_REQUIRED"  # set where a missing browser is an error, as in .ci/run
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--window-size=1200,1000",
)


def find_browser():
    """The browser and its driver, or a skip that says what is missing."""
    names = ("chromium", "chromium-browser", "google-chrome")
    browser = next(filter(None, map(shutil.which, names)), None)
    driver = shutil.which("chromedriver")
    if browser and driver:
        return browser, driver
    message = (
        "no Chromium with chromedriver here (Debian: apt-get install chromium chromium-driver)"
    )
    if os.environ.get(REQUIRED):
        pytest.fail(message)
    pytest.skip(message)


@contextmanager
def open_browser(profile):
    """A headless Chromium that has no network of its own accord."""
    browser, driver = find_browser()
    options = webdriver.ChromeOptions()
    options.binary_location = browser
    for flag in (*FLAGS, f"--user-data-dir={profile}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    chrome = webdriver.Chrome(options=options, service=Service(driver))
    try:
        yield chrome
    finally:
        chrome.quit()
