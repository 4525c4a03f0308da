"""Where no browser is, the page's tests are skipped, unless a browser is required."""

import pytest

from .browser import REQUIRED, find_browser


def test_a_missing_browser_skips_the_tests(monkeypatch):
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv(REQUIRED, raising=False)
    with pytest.raises(pytest.skip.Exception, match="apt-get install chromium"):
        find_browser()


def test_a_missing_browser_fails_them_where_it_is_required(monkeypatch):
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv(REQUIRED, "1")
    with pytest.raises(pytest.fail.Exception, match="apt-get install chromium"):
        find_browser()
