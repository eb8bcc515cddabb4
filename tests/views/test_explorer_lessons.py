"""The page to play with as a lesson, in a real Chromium: its first screen, its tasks and terms, the lecturer's view."""

import numpy as np
import pytest

import hopattn as ha

pytestmark = pytest.mark.slow

LAPTOP, PHONE = {"width": 1280, "height": 800}, {"width": 390, "height": 844}
OWN = {"attention": "bank", "energy": "landscape", "spins": "letters", "induction": "induction"}
TERMS = ("separation", "beta", "projection", "activation", "mask", "overlap")


def drawn(page):
    page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


def changed(page, view, changes):
    page.evaluate("([view, changes]) => change(view, changes)", [view, changes])
    drawn(page)


def bottom(page, selector):
    box = page.locator(f"{selector} >> visible=true").first.bounding_box()
    return box["y"] + box["height"]


def done(page):
    return [task == "done" for task in page.locator(".tasks li >> visible=true").evaluate_all(CLASSES)]


CLASSES = "(nodes) => nodes.map((node) => node.className)"


@pytest.mark.parametrize(
    ("view", "needed"),
    {
        "attention": ("#head-separation", "#head-beta ~ input", ".play", ".plane", ".sentence", ".tasks"),
        "energy": ("#energy-separation", "#energy-beta ~ input", ".play", ".plane", ".sentence", ".tasks"),
        "spins": ("#spins-rule", "#spins-update", ".play", ".pair", ".sentence", ".tasks"),
        "induction": ("#induction-turn", "#induction-beta ~ input", ".play", ".arcs", ".sentence"),
    }.items(),
)
def test_a_laptop_shows_picture_settings_and_play_in_the_first_screen(opened, view, needed):
    page = opened(OWN[view], viewport=LAPTOP)
    assert {selector: bottom(page, selector) <= LAPTOP["height"] for selector in needed} == dict.fromkeys(needed, True)


@pytest.mark.parametrize(("view", "beta"), [("attention", "#head-beta"), ("energy", "#energy-beta")])
def test_a_phone_shows_the_plane_its_sentence_and_beta_first(opened, view, beta):
    page = opened(OWN[view], viewport=PHONE)
    places = [bottom(page, selector) for selector in (".plane", ".sentence", f"{beta} ~ input", ".tasks")]
    assert places == sorted(places)
    assert places[2] <= PHONE["height"]
    assert bottom(page, "#tabs") < bottom(page, "#help") < places[0], "what one may do is said above the picture"
    assert page.locator("#help .rest").is_hidden()
    assert len(set(page.locator("#tabs button").evaluate_all("(all) => all.map((one) => one.offsetTop)"))) == 1


def test_three_tasks_of_attention_are_ticked_when_they_are_done(opened):
    page = opened("bank")
    assert "Drag banks until its result is most like another word than financial." in page.inner_text(".tasks")
    assert done(page) == [False] * 3
    page.evaluate("() => { wordMoves().moved('banks', [0, 0.9]); wordMoves().dropped(); }")
    drawn(page)
    assert done(page) == [True, False, False]
    page.select_option("#head-separation", "softmax")
    page.locator("#head-beta ~ input").fill("60")
    page.locator("#head-beta ~ input").press("Enter")
    drawn(page)
    assert done(page) == [True, True, False]
    page.locator('[data-cell="2 1"]').click()
    drawn(page)
    assert page.locator(".tasks >> visible=true").locator(".box").all_inner_texts() == ["✓"] * 3
    page.get_by_role("button", name="Start again").click()
    drawn(page)
    assert done(page) == [False] * 3


def test_three_tasks_of_the_energy_are_ticked_when_they_are_done(opened):
    page = opened("landscape", reduced_motion="reduce")
    changed(page, "energy", {"cue": [-0.8, 0.5]})
    assert done(page) == [True, False, False]
    page.get_by_role("button", name="Let β fall").click()
    drawn(page)
    assert done(page)[1]
    changed(page, "energy", {"cue": [0.1, 0.1], "beta": 3})
    assert done(page) == [True] * 3


def test_three_tasks_of_the_spins_are_ticked_when_they_are_done(opened):
    page = opened("letters")
    run = "() => spinView.moves.length"
    changed(page, "spins", {"cue": "#" * 35, "time": 0})
    changed(page, "spins", {"time": page.evaluate(run)})
    assert done(page) == [True, False, False]
    patterns = page.evaluate("state.spins.patterns")
    letter = patterns[0][1]  # J, and pictures that differ from S in one pixel each
    near = [f"{patterns[2][1][:k]}{'#.'[patterns[2][1][k] == '#']}{patterns[2][1][k + 1 :]}" for k in range(6)]
    more = [*patterns, *([f"near {k}", picture] for k, picture in enumerate(near))]
    changed(page, "spins", {"patterns": more, "cue": letter, "time": 0})
    changed(page, "spins", {"time": page.evaluate(run)})
    assert done(page) == [True, True, False]
    changed(page, "spins", {"rule": "pseudo_inverse"})
    changed(page, "spins", {"time": page.evaluate(run)})
    assert done(page) == [True] * 3


def test_a_learning_rule_that_fails_ticks_no_task(opened):
    page = opened("letters")
    patterns = page.evaluate("state.spins.patterns")
    changed(page, "spins", {"patterns": [*patterns, ["twin", patterns[0][1]]], "cue": patterns[0][1], "time": 1})
    changed(page, "spins", {"rule": "pseudo_inverse", "time": 1})
    assert page.locator(".paint-card .warning").is_visible()
    assert done(page) == [False] * 3


def test_three_tasks_of_induction_are_ticked_when_they_are_done(opened):
    page = opened("induction")
    page.get_by_label("Words of the text").fill("a b c a")
    page.get_by_label("Words of the text").press("Enter")
    drawn(page)
    assert done(page) == [True, False, False]
    page.select_option("#induction-mask", "causal")
    page.select_option("#induction-separation", "argmax")
    drawn(page)
    assert "The trap" in page.inner_text(".expects-card")
    page.get_by_label("Start token").check()
    drawn(page)
    assert done(page) == [True, True, False]
    changed(page, "induction", {"separation": "softmax", "beta": 2})
    assert done(page) == [True, True, False]
    changed(page, "induction", {"beta": 40})
    assert done(page) == [True] * 3


def test_three_tasks_of_weights_are_ticked_when_they_are_done(opened):
    page = opened("causal-mask")
    page.get_by_role("button", name="itself").click()
    drawn(page)
    assert done(page) == [True, False, False]
    page.get_by_role("button", name="causal: layer 1 head 1").click()
    page.locator('.matrix [data-cell="0 0"]').click()
    drawn(page)
    assert done(page) == [True] * 3
    page = opened("cross-attention")  # of one head
    for where in ("largest", "smallest"):
        weights = np.array(page.evaluate("weightsView.heads[0]"))
        at = np.argmax(weights) if where == "largest" else np.argmin(weights)
        page.locator('.matrix [data-cell="{} {}"]'.format(*np.unravel_index(at, weights.shape))).click()
        drawn(page)
    assert done(page)[:2] == [True, True]


@pytest.mark.parametrize("name", TERMS)
def test_a_term_is_explained_in_one_line_by_pointer_and_keyboard(opened, name):
    page = opened("letters" if name == "overlap" else "bank", viewport=LAPTOP)
    tip, place = page.locator("#tip"), page.locator(f'[data-term="{name}"] >> visible=true').first
    assert tip.is_hidden()
    (place.locator("label").first if name in ("beta", "mask") else place).hover()
    message = tip.inner_text()
    assert message == page.evaluate("(name) => page.controls.terms[name]", name)
    assert tip.evaluate("(tip) => tip.getClientRects().length === 1 && tip.clientHeight < 2.6 * rem()")
    page.keyboard.press("Escape")
    assert tip.is_hidden()
    page.mouse.move(1, 1)
    page.keyboard.press("Tab")  # from now on the focus is shown
    target = place if name in ("projection", "activation", "overlap") else place.locator("input, select").first
    target.focus()
    assert tip.inner_text() == message
    assert target.get_attribute("aria-describedby") == "tip"


def test_an_overlap_of_the_page_is_that_of_the_result(opened):
    page, course = opened("letters"), ha.run(ha.load("letters")).runs[0].arrays["course"].values[0]
    shown = np.transpose(page.evaluate("spinView.overlapCourse"))
    assert np.allclose(shown, course[: len(shown)], rtol=0, atol=1e-12)
    assert np.isclose(shown[0].max(), 0.6)


def test_a_preset_says_that_a_setting_was_changed(opened):
    page = opened("bank")
    pressed = page.locator(".presets [aria-pressed=true]")
    page.locator('[data-cell="2 1"]').click()  # what one looks at is no setting
    drawn(page)
    assert pressed.inner_text() == "in financial markets banks"
    page.get_by_role("button", name="in muddy rivers banks").click()
    page.select_option("#head-separation", "softmax")
    drawn(page)
    assert pressed.all_inner_texts() == ["in muddy rivers banks · changed"]
    link = page.evaluate("'#' + addressOf(state)")
    pressed.click()
    drawn(page)
    assert pressed.all_inner_texts() == ["in muddy rivers banks"]
    assert page.evaluate("state.attention.heads[0].separation") == "identity"
    unchanged = page.evaluate("'#' + addressOf(state)")
    for address, message in ((link, "in muddy rivers banks · changed"), (unchanged, "in muddy rivers banks")):
        assert opened("bank", address).locator(".presets [aria-pressed=true]").inner_text() == message


@pytest.mark.parametrize("view", OWN)
def test_a_lecturer_shows_one_panel_in_large_type_and_turns_pages_with_keys(opened, view):
    page = opened(OWN[view], "?view=plane&big", viewport={"width": 1920, "height": 1080})
    assert page.evaluate("rem()") == 28
    assert page.locator("#tabs").is_hidden() and page.locator(".actions").is_hidden()
    assert page.locator(".card:not(.main) >> visible=true").count() == 0
    assert page.locator(".card.main .sentence >> visible=true").count() == 1
    sizes = page.evaluate("[document.scrollingElement.scrollWidth, document.scrollingElement.scrollHeight]")
    assert sizes == [1920, 1080]
    names = page.locator(".presets button").all_inner_texts()
    pressed = page.locator(".presets [aria-pressed=true]")
    for key, name in (("ArrowRight", names[1]), ("ArrowLeft", names[0]), ("ArrowLeft", names[-1])):
        page.keyboard.press(key)
        drawn(page)
        assert pressed.inner_text() == name


def test_the_query_of_an_address_opens_a_view_and_names_those_that_there_are(opened):
    assert opened("bank", "?view=energy").locator("#tab-energy").get_attribute("aria-selected") == "true"
    message = opened("bank", "?view=plan").inner_text("#notices")
    assert message == "The page has no view “plan”; it has plane, attention, energy, spins, induction."
