"""The site in a browser: a jump to a heading ends at it, also below pictures that load late."""

import pytest

pytestmark = pytest.mark.slow


@pytest.mark.slow
@pytest.mark.parametrize(
    ("page", "anchor"), [("gallery/figures", "gradients"), ("ideas/transformers", "what-training-meets")]
)
def test_a_jump_ends_at_its_heading(chromium, site, page, anchor):
    tab = chromium.new_page(viewport={"width": 1280, "height": 800})
    tab.goto(f"{(site / page).as_uri()}.html#{anchor}")
    tab.wait_for_timeout(1000)  # pictures in view are loaded meanwhile
    top = tab.evaluate(f"document.getElementById('{anchor}').getBoundingClientRect().top")
    tab.close()
    assert 0 <= top < 120
