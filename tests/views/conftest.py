"""A real Chromium for the interactive page: the one of the system, without a network."""

import os
import shutil
from collections import defaultdict

import pytest

import hopattn as ha

SCREEN = {"width": 1366, "height": 768}


@pytest.fixture(scope="session")
def chromium():
    """The browser; tests that need it skip where it, or Playwright, is not installed."""
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        pytest.skip("chromium is not installed (the package of that name of the system brings it)")
    api = pytest.importorskip(
        "playwright.sync_api", reason="playwright is not installed (the extra 'browser' brings it)"
    )
    sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []  # root has none
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=sandbox)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def pages(tmp_path_factory):
    """The file of the page of a scenario, written once."""
    folder = tmp_path_factory.mktemp("pages")

    def file(scenario="bank"):
        page = ha.explore(scenario)
        path = folder / f"{page.name}.html"
        return path if path.exists() else page.save(path)

    return file


@pytest.fixture(scope="session")
def kept_pages(chromium, pages):
    """One open page of each scenario, for tests that only change the state, with the messages of its console."""
    context = chromium.new_context(offline=True, viewport=SCREEN, reduced_motion="reduce")
    found = {}

    def page_of(scenario):
        if scenario not in found:
            reported, page = [], context.new_page()
            page.on("console", lambda message: reported.append(message.text))
            page.on("pageerror", lambda error: reported.append(str(error)))
            page.goto(pages(scenario).as_uri())
            found[scenario] = page, reported
        return found[scenario]

    yield page_of
    context.close()


@pytest.fixture
def kept(kept_pages):
    """The page of a scenario as it starts: `kept("bank")`. It stays open from test to test."""
    used = []

    def started(scenario="bank"):
        page, reported = kept_pages(scenario)
        page.bring_to_front()
        page.evaluate("() => { Object.assign(state, readAddress('').state); showNotices([]); drawPage(); }")
        used.append(reported)
        return page

    yield started
    assert [message for reported in used for message in reported] == []


@pytest.fixture(scope="session")
def tabs():
    """Tabs that no test uses now, by the options of their contexts: a page in a new tab takes four times as long."""
    return defaultdict(list)


@pytest.fixture
def opened(chromium, pages, tabs):
    """Open the page of a scenario offline: `opened("bank", "#1.…", viewport=…, **options of the context)`.

    After the test there must have been no error, no message on the console, and no request but for the file itself.
    """
    used, reported, requests = [], [], []
    heard = {
        "console": lambda message: reported.append(message.text),
        "pageerror": lambda error: reported.append(str(error)),
        "request": lambda request: requests.append(request.url),
    }

    def open_page(scenario="bank", hash="", viewport=SCREEN, **options):
        free = tabs[tuple(options.items())]
        page = free.pop() if free else chromium.new_context(offline=True, **options).new_page()
        used.append((free, page))
        page.set_default_timeout(20_000)
        page.set_viewport_size(viewport)
        for event, hear in heard.items():
            page.on(event, hear)
        page.bring_to_front()
        page.goto(pages(scenario).as_uri() + hash)
        return page

    yield open_page
    for free, page in used:
        page.mouse.move(0, 0)  # what the page has reported by now is heard
        for event, hear in heard.items():
            page.remove_listener(event, hear)
        page.goto("about:blank")
        free.append(page)
    assert reported == []
    assert [url for url in requests if not url.startswith(("file:", "data:image/", "blob:"))] == []
