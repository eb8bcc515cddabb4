"""A real Chromium for the interactive page: the one of the system, without a network."""

import os
import shutil

import pytest

import hopattn as ha


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
    context = chromium.new_context(offline=True, viewport={"width": 1366, "height": 768}, reduced_motion="reduce")
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


@pytest.fixture
def opened(chromium, pages):
    """Open the page of a scenario offline: `opened("bank", "#1.…", **options of the context)`.

    After the test there must have been no error, no message on the console, and no request but for the file itself.
    """
    contexts, reported, requests = [], [], []

    def open_page(scenario="bank", hash="", **options):
        context = chromium.new_context(offline=True, **{"viewport": {"width": 1366, "height": 768}, **options})
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(20_000)
        page.on("console", lambda message: reported.append(message.text))
        page.on("pageerror", lambda error: reported.append(str(error)))
        page.on("request", lambda request: requests.append(request.url))
        page.goto(pages(scenario).as_uri() + hash)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert reported == []
    assert [url for url in requests if not url.startswith(("file:", "data:image/", "blob:"))] == []
