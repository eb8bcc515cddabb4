"""The page to play with as a lesson, in a real Chromium: its first screen, its tasks and terms, the lecturer's view."""

import numpy as np
import pytest

import hopattn as ha

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


def test_a_phone_has_one_menu_in_the_header(opened):
    page = opened(viewport=PHONE)
    assert page.locator("header button >> visible=true").all_inner_texts() == ["Menu"]
    page.get_by_role("button", name="Menu").click()
    with page.expect_download():
        page.get_by_role("button", name="TOML").click()
    page.keyboard.press("Escape")
    assert page.locator("#toml").is_hidden()


def test_the_table_of_parts_keeps_its_numbers_and_the_head_place_on_a_phone(opened):
    page = opened("induction", viewport=PHONE)
    texts = page.locator(".parts text").all_text_contents()
    assert "place" in texts
    assert texts.count("1") == 7
    assert ".7" in texts


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


def test_a_spin_scenario_opens_with_its_cue_recalled(opened):
    page = opened("letters")
    assert page.inner_text(".sentence") == "It has converged on R."
    assert page.inner_text(".play") == "▶ Run again"
    assert page.evaluate("charactersOf(stateAfter(spinsOf(state.spins.cue), spinView.moves, state.spins.time))") == (
        page.evaluate("state.spins.patterns.find(([name]) => name === 'R')[1]")
    )
    page.get_by_role("button", name="torn X").click()
    drawn(page)
    assert page.inner_text(".sentence") == "It has converged on X."


@pytest.mark.parametrize(
    ("update", "button", "message"),
    [("sync", "Step", "all neurons at once"), ("sequence", "Neuron", "one neuron after another")],
)
def test_text_and_button_say_what_the_update_does(opened, update, button, message):
    page = opened("letters")
    page.select_option("#spins-update", update)
    drawn(page)
    assert f"recall changes {message} until nothing changes" in page.inner_text("#help")
    assert page.get_by_role("button", name={"Step": "Neuron", "Neuron": "Step"}[button], exact=True).count() == 0
    page.get_by_role("button", name=button, exact=True).click()
    drawn(page)
    assert page.evaluate("spinView.moves[0].changes.length > 1") == (update == "sync")


def test_any_click_stops_what_plays(opened):
    page = opened("landscape")
    page.get_by_role("button", name="Let β fall").click()
    page.wait_for_function("() => state.energy.beta < 11")
    page.locator("h1").click()
    beta = page.evaluate("state.energy.beta")
    page.wait_for_timeout(300)
    assert page.evaluate("state.energy.beta") == beta > 0.5


def test_axes_and_still_words_stay_while_beta_rises_and_a_second_click_stops_it(opened):
    page = opened("bank")
    button = page.locator(".play >> visible=true")
    button.click()
    page.wait_for_function("() => state.attention.heads[0].beta > 0.06")
    still = """() => [JSON.stringify(attentionView.plane.bounds),
        ...["muddy", "rivers"].map((name) => document.querySelector(`[data-id=${name}]`).getAttribute("transform"))]"""
    before = page.evaluate(still)
    assert button.inner_text() == "■ Stop"
    page.wait_for_function("() => state.attention.heads[0].beta > 0.2")
    assert page.evaluate(still) == before
    button.click()
    beta = page.evaluate("state.attention.heads[0].beta")
    page.wait_for_timeout(300)
    assert page.evaluate("state.attention.heads[0].beta") == beta < 1
    assert button.inner_text() == "▶ Let β rise"


def test_the_plane_of_a_lecturer_fits_a_small_screen_and_a_phone(opened):
    page = opened("bank", "?view=plane&big", viewport={"width": 1280, "height": 800})
    assert page.evaluate("document.scrollingElement.scrollHeight") == 800
    page = opened("bank", "?view=plane&big", viewport=PHONE)
    assert page.evaluate("rem()") == 17
    assert max(bottom(page, ".sentence"), bottom(page, ".presets")) < PHONE["height"]
    assert page.locator(".chooser").first.evaluate("(node) => node.scrollWidth <= node.clientWidth")


@pytest.mark.quick(3)
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


def test_arcs_of_the_page_lead_from_the_key_to_the_query_as_in_the_figures(opened):
    page = opened("induction")
    arcs = page.locator(".arcs").first.evaluate(
        """(svg) => { const step = svg.viewBox.baseVal.width / svg.querySelectorAll('.word').length;
            return [...svg.querySelectorAll('[data-key] > .line')].map((line) => {
                const end = line.getTotalLength(), at = (x) => Math.floor(line.getPointAtLength(x).x / step);
                return [line.parentNode.dataset.key, at(0), at(end)]; }); }"""
    )
    assert len(arcs) > 1
    for key, start, end in arcs:
        assert key == f"{end} {start}"  # the data has the query first


def test_arcs_and_unknown_pixels_look_as_in_the_figures(opened):
    page = opened("induction")
    arcs = {
        node["key"]: (node["stroke"], node["dash"])
        for node in page.locator(".arcs").first.evaluate(
            """(svg) => [...svg.querySelectorAll('[data-key] > .line')].map((line) => ({
                key: line.parentNode.dataset.key, stroke: line.getAttribute('stroke'),
                dash: line.getAttribute('stroke-dasharray') }))"""
        )
    }
    assert arcs["3 0"] == ("var(--faint)", "7 5")  # a weight of −1 is grey and dashed
    assert arcs["3 2"] == ("var(--series-3)", None)  # else the colour of the key
    assert arcs["1 0"] == ("var(--series-1)", None)
    page = opened("letters")
    assert (
        page.locator(".pixels .unknown").first.evaluate("(node) => getComputedStyle(node).fill") == "rgb(140, 140, 140)"
    )
    assert page.locator(".hint", has_text="Grey: unknown.").is_visible()


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


def test_the_bars_of_why_share_one_axis_and_name_their_colours(opened):
    page = opened("bank")
    assert page.locator(".legend >> visible=true").inner_text().split() == ["before", "after"]
    script = """(rows) => [...rows.querySelectorAll('p')].map((row) => [row.children[0], row.children[1]]
        .map((node) => node.getBoundingClientRect())).map(([name, bar]) => [name.right, bar.left, bar.width])"""
    places = np.array(page.locator(".senses .rows").evaluate(script))
    assert np.ptp(places, axis=0).max() < 1  # names end and bars begin at the same place
    assert np.all(places[:, 1] - places[:, 0] < 20)
    assert np.all(places[:, 2] > 0.4 * page.locator(".why-card").bounding_box()["width"])


def test_the_names_of_lines_stand_at_their_ends(opened):
    page = opened("letters")
    script = """(svg) => [...svg.querySelectorAll('.names g')].map((one) => [one.textContent,
        Number(one.firstChild.getAttribute('y1')), Number(one.firstChild.getAttribute('y2'))])"""
    names = page.locator(".overlap-card .chart").evaluate(script)
    assert [name for name, _, _ in names] == ["R", "S", "V", "X", "J"]
    assert max(abs(end - place) for _, end, place in names) < 32
    assert np.diff([place for _, _, place in names]).min() > 10


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


def test_a_key_with_a_modifier_or_on_a_word_turns_no_page(opened):
    page = opened("bank", "?view=plane&big")
    page.keyboard.press("Control+ArrowRight")
    page.locator('[data-id="banks"]').focus()
    page.keyboard.press("ArrowRight")
    drawn(page)
    assert page.locator(".presets [aria-pressed=true]").inner_text() == "in financial markets banks · changed"


def test_a_lecturer_paints_the_pixel_under_the_pointer(opened):
    page = opened("letters", "?view=plane&big", viewport={"width": 1920, "height": 1080})
    for column in (1, 5):
        before = page.evaluate("state.spins.cue")
        page.locator(f'.painted [aria-label^="row 2, column {column}:"]').click()
        drawn(page)
        after = page.evaluate("state.spins.cue")
        assert [i for i, (a, b) in enumerate(zip(before, after, strict=True)) if a != b] == [4 + column]


def test_the_query_of_an_address_opens_a_view_and_names_those_that_there_are(opened):
    assert opened("bank", "?view=energy").locator("#tab-energy").get_attribute("aria-selected") == "true"
    message = opened("bank", "?view=plan").inner_text("#notices")
    assert message == "The page has no view “plan”; it has plane, attention, energy, spins, induction."


def test_dark_becomes_light_and_titles_have_typographic_quotes(opened):
    page = opened("bank")
    assert page.inner_text("#title") == "banks, next to ‘financial’"
    page.get_by_role("button", name="Dark").click()
    drawn(page)
    page.get_by_role("button", name="Light").click()
    drawn(page)
    assert page.evaluate("document.documentElement.dataset.theme") == "light"


def test_the_matrix_begins_at_the_top_of_its_card(opened):
    page = opened("bank")
    script = """(svg) => Math.min(...[...svg.querySelectorAll('.columns text')]
        .map((one) => one.getBoundingClientRect().top)) - svg.getBoundingClientRect().top"""
    assert 0 <= page.locator(".matrix").evaluate(script) < 20
