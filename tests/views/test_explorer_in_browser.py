"""The interactive page in a real Chromium: loading, moving things, links, exports, accessibility, speed."""

import json
import re
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

import hopattn as ha
from hopattn.scenario.loading import parse

pytestmark = pytest.mark.slow

VIEWS = ("attention", "energy", "spins", "induction")
PHONE, LAPTOP, PROJECTOR = (390, 844), (1366, 768), (1920, 1080)


def viewport(size):
    return {"viewport": {"width": size[0], "height": size[1]}}


def drawn(page):
    """Wait until the page has drawn what was changed."""
    page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


def word(page, name):
    return page.evaluate("(name) => vectorOf(name)", name)


def middle(page, selector):
    box = page.locator(selector).bounding_box()
    return np.array([box["x"] + box["width"] / 2, box["y"] + box["height"] / 2])


def pixels_of(page, place, view="attention"):
    """The pixels of a place in the plane of a view."""
    script = """([place, view]) => {
        const plane = views[view].plane, box = plane.svg.getBoundingClientRect(), [x, y] = plane.at(place);
        return [box.left + x, box.top + y];
    }"""
    return np.array(page.evaluate(script, [place, view]))


@pytest.mark.parametrize("formula", ["head", "memory", "couplings", *VIEWS])
def test_a_wrong_reference_value_is_shown_as_a_warning(opened, pages, tmp_path, formula):
    text = pages().read_text(encoding="utf-8")
    data = re.search(r'id="start">(.*?)</script>', text)[1]
    start = json.loads(data)
    case = next(case for case in start["cases"] if case["formula"] == formula)
    name = next(iter(case["expected"]))
    row = case["expected"][name]
    while isinstance(row[-1], list):
        row = row[-1]
    row[-1] += 3e-9 * max(1, abs(row[-1]))
    changed = json.dumps(start, ensure_ascii=False).replace("<", "\\u003c")
    (tmp_path / "wrong.html").write_text(text.replace(data, changed), encoding="utf-8")
    page = opened()
    page.goto((tmp_path / "wrong.html").as_uri())
    page.wait_for_selector("#check[role=alert]")
    assert f"differs from NumPy's in: {formula}." in page.inner_text("#check.warning")


def test_a_word_is_dragged_with_the_mouse(opened):
    page = opened()
    goal = [0.3, 0.8]
    start, end = middle(page, '[data-id="banks"] .dot'), pixels_of(page, goal)
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move(*((start + end) / 2))
    page.mouse.move(*end)
    page.mouse.up()
    drawn(page)
    vector = word(page, "banks")
    assert np.allclose(vector[1:3], goal, atol=0.01)
    assert np.isclose(np.linalg.norm(vector), 1, atol=1e-12)


def touch(client, kind, *points):
    places = [{"x": float(x), "y": float(y)} for x, y in points]
    client.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": places})


def test_a_word_is_dragged_with_a_finger_while_the_page_stays(opened):
    page = opened(has_touch=True, **viewport(PHONE))
    page.locator(".plane").scroll_into_view_if_needed()
    goal = [0.3, 0.8]
    start, end = middle(page, '[data-id="banks"] .dot'), pixels_of(page, goal)
    top, finger = page.evaluate("scrollY"), page.context.new_cdp_session(page)
    touch(finger, "touchStart", start)
    for share in (0.3, 0.6, 1):
        touch(finger, "touchMove", start + share * (end - start))
    touch(finger, "touchEnd")
    drawn(page)
    assert np.allclose(word(page, "banks")[1:3], goal, atol=0.02)
    assert page.evaluate("scrollY") == top


@pytest.mark.parametrize("how", ["mouse", "touch", "keys"])
def test_a_word_is_picked_up_and_placed_without_a_drag(opened, how):
    page = opened(has_touch=how == "touch")
    goal, mark = [0.2, 0.7], page.locator('[data-id="banks"]')
    act = page.touchscreen.tap if how == "touch" else page.mouse.click
    if how == "keys":
        mark.focus()
        page.keyboard.press("Enter")
    else:
        act(*middle(page, '[data-id="banks"] .dot'))
    drawn(page)
    assert mark.get_attribute("aria-pressed") == "true"
    assert "Tap where “banks” should go" in page.inner_text(".plane-card .hint")
    act(*pixels_of(page, goal))
    drawn(page)
    assert np.allclose(word(page, "banks")[1:3], goal, atol=0.01)
    assert mark.get_attribute("aria-pressed") == "false"
    act(*pixels_of(page, [0.5, 0.2]))  # nothing is picked up any more
    drawn(page)
    assert np.allclose(word(page, "banks")[1:3], goal, atol=0.01)


def test_a_word_is_moved_with_the_arrow_keys_and_keeps_the_focus(opened):
    page = opened()
    page.locator('[data-id="banks"]').focus()
    for key in ("ArrowLeft", "ArrowDown", "ArrowDown", "Shift+ArrowRight"):
        page.keyboard.press(key)
        drawn(page)
    assert np.allclose(word(page, "banks")[1:3], [0.66, 0.6], atol=1e-9)
    assert page.evaluate("document.activeElement.dataset.id") == "banks"
    page.keyboard.press("Enter")
    page.keyboard.press("Escape")
    drawn(page)
    assert page.locator('[data-id="banks"]').get_attribute("aria-pressed") == "false"


def test_the_matrix_is_walked_with_the_arrow_keys(opened):
    page = opened()
    page.locator('[data-cell="3 2"]').focus()
    page.keyboard.press("ArrowLeft")
    drawn(page)
    assert page.evaluate("[state.attention.token, state.attention.key]") == [3, 1]
    assert page.evaluate("document.activeElement.getAttribute('aria-label')") == "banks attends to financial: .7"
    assert page.inner_text("#why-card-title") == "Why: banks → financial"


def test_a_click_drops_the_cue_and_a_pattern_is_dragged(opened):
    page = opened("landscape")
    page.mouse.click(*pixels_of(page, [-0.5, 0.9], "energy"))
    drawn(page)
    assert np.allclose(page.evaluate("state.energy.cue"), [-0.5, 0.9], atol=0.01)
    assert page.inner_text(".ends tr:last-child td").startswith("c")
    start, end = middle(page, '[data-id="b"] .dot'), pixels_of(page, [0.2, -0.5], "energy")
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move(*end, steps=3)
    page.mouse.up()
    drawn(page)
    assert np.allclose(page.evaluate("vectorOfPattern('b')"), [0.2, -0.5], atol=0.02)
    page.get_by_label("cue, x1").fill("0.125")
    page.get_by_label("cue, x1").press("Enter")
    assert page.evaluate("state.energy.cue[0]") == 0.125


def test_the_basins_merge_as_beta_falls(opened):
    page = opened("landscape", reduced_motion="reduce")
    assert page.inner_text(".landscape-card .sentence").startswith("4 valleys")
    page.locator("#energy-beta ~ input").fill("3")
    page.locator("#energy-beta ~ input").press("Enter")
    drawn(page)
    assert page.inner_text(".landscape-card .sentence").startswith("2 valleys")
    page.get_by_role("button", name="Let β fall").click()  # at once, where less motion is wished
    drawn(page)
    assert page.evaluate("state.energy.beta") == 0.5
    assert page.inner_text(".landscape-card .sentence").startswith("One valley")


@pytest.mark.parametrize("how", ["mouse", "touch", "keys"])
def test_pixels_are_painted(opened, how):
    page = opened("hopfield", has_touch=how == "touch", **viewport(PHONE))
    page.get_by_role("button", name="Clear").click()
    drawn(page)
    page.locator(".painted").scroll_into_view_if_needed()
    places = [middle(page, f'.painted [aria-label^="row 2, column {column}:"]') for column in (1, 2, 3)]
    if how == "mouse":
        page.mouse.move(*places[0])
        page.mouse.down()
        page.mouse.move(*places[2], steps=8)
        page.mouse.up()
    elif how == "touch":
        finger = page.context.new_cdp_session(page)
        touch(finger, "touchStart", places[0])
        for place in places[1:]:
            touch(finger, "touchMove", place)
        touch(finger, "touchEnd")
    else:
        page.locator('.painted [tabindex="0"]').focus()
        for key in ("ArrowDown", "Space", "ArrowRight", "Space", "ArrowRight", "Enter"):
            page.keyboard.press(key)
            drawn(page)
    drawn(page)
    assert page.evaluate("state.spins.cue") == "." * 5 + "###.." + "." * 25


def test_pictures_are_stored_damaged_and_forgotten(opened):
    page = opened("hopfield")
    page.get_by_label("Store the painted cue as").fill("torn")
    page.get_by_role("button", name="Store", exact=True).click()
    page.get_by_role("button", name="Forget R").click()
    page.get_by_role("button", name="Take S as the cue").click()
    drawn(page)
    before = page.evaluate("state.spins.cue")
    page.get_by_role("button", name="Damage").click()
    drawn(page)
    after = page.evaluate("state.spins.cue")
    assert sum(a != b for a, b in zip(before, after, strict=True)) == 7  # a fifth of 35
    assert page.evaluate("state.spins.patterns.map(([name]) => name)") == ["J", "S", "V", "X", "torn"]


def test_a_start_token_fixes_the_trap(opened):
    page = opened("induction-cures")
    page.get_by_role("button", name="the trap").click()
    drawn(page)
    assert "their₂ expects their and dog" in page.inner_text(".expects-card .sentence")
    assert "What helps: a start token, or the mask “strict”." in page.inner_text(".expects-card")
    page.get_by_label("Start token").check()
    drawn(page)
    assert "their₂ expects dog" in page.inner_text(".expects-card .sentence")


def test_words_of_a_scenario_stay_text(opened):
    tokens = ["<script>document.title = 1</script>", "<img src=x onerror=a()>", "</title>&amp;"]
    words = "\n".join(f"{json.dumps(token)} = [{i}, 1]" for i, token in enumerate(tokens))
    text = f"""schema = 1
title = "<b>bold</b>"
source = "<i>ours</i>"
kind = "attention"
[vocabulary]
axes = ["<u>x</u>", "y"]
magnitude = "free"
[vocabulary.words]
{words}
[input]
tokens = {json.dumps(tokens)}
[[layer]]
[[layer.head]]
"""
    page = opened(parse(text, "own.toml", "angles"))
    shown = page.inner_text("body")
    for name in ("<b>bold</b>", "<i>ours</i>", "<script>document.title = 1</script>"):
        assert name in shown
    assert set(tokens) <= set(page.locator(".arcs .word text").all_text_contents())
    assert page.locator("b b, img, u, i").count() == 0
    assert page.title() == "<b>bold</b> · hopattn explore"


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_no_serious_fault(opened, theme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed (extra 'browser')")
    page = opened(color_scheme=theme, bypass_csp=True, reduced_motion="reduce")  # no colour on its way to another
    for view in VIEWS:
        page.click(f"#tab-{view}")
        drawn(page)
        found = axe.Axe().run(page).response
        serious = [one for one in found["violations"] if one["impact"] in ("serious", "critical")]
        assert [(view, one["id"], [node["html"][:90] for node in one["nodes"][:3]]) for one in serious] == []
        assert len(found["passes"]) > 15


@pytest.mark.parametrize("size", [PHONE, LAPTOP, PROJECTOR], ids=["phone", "laptop", "projector"])
def test_nothing_is_wider_than_the_screen(opened, size):
    page = opened(**viewport(size))
    wide = """() => [...document.querySelectorAll('.card')].filter((card) => card.scrollWidth > card.clientWidth + 1)
        .map((card) => card.className)"""
    for view in VIEWS:
        page.click(f"#tab-{view}")
        drawn(page)
        assert page.evaluate("document.scrollingElement.scrollWidth") <= size[0], view
        assert page.evaluate(wide) == [], view


@pytest.mark.parametrize("view", VIEWS)
def test_the_picture_is_exported_as_svg_and_png(kept, view):
    page = kept()
    page.click(f"#tab-{view}")
    drawn(page)
    with page.expect_download() as download:
        page.click("#svg")
    root = ElementTree.parse(download.value.path()).getroot()
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert not [node for node in root.iter() if node.get("class") or node.get("tabindex")]
    assert page.inner_text("#title") in [node.text for node in root.iter("{http://www.w3.org/2000/svg}text")]
    with page.expect_download() as download:
        page.click("#png")
    data = download.value.path().read_bytes()
    assert data.startswith(b"\x89PNG")
    assert int.from_bytes(data[16:20], "big") == 2 * int(root.get("width"))


def test_a_notebook_shows_the_page_without_a_message(opened, tmp_path):
    (tmp_path / "notebook.html").write_text(f"<!DOCTYPE html>{ha.explore('bank')._repr_html_()}", encoding="utf-8")
    page = opened()
    page.goto((tmp_path / "notebook.html").as_uri())
    frame = page.frame_locator("iframe")
    frame.locator("#check", has_text="agree with NumPy").wait_for()
    frame.get_by_role("button", name="in muddy rivers banks").click()
    frame.locator(".sentence", has_text="toward muddy").wait_for()
    page.wait_for_timeout(600)  # the time after which a page of its own writes its address
