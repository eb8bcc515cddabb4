// The order of what a search finds: the page of that very name, pages that explain, scenarios, single names and files.

const AHEAD = { ideas: 12, start: 10, lectures: 9, howto: 8, reference: 4, gallery: 1, development: -4 };
const LAST = /^reference\/api\/|^start\/(?:windows|macos|uv|jupyter)$/;
const ASKED = (new URLSearchParams(location.search).get("q") ?? "").trim().toLowerCase();

const BETA = ["beta", "β", "inverse temperature"];
const OF_BETA = { "ideas/separations": 80, "ideas/one-idea": 70 };

function ahead(page) {
  if (BETA.includes(ASKED) && page in OF_BETA) return OF_BETA[page];
  if (page.endsWith(`/${ASKED}`)) return 60;
  return LAST.test(page) ? 0 : (AHEAD[page.split("/")[0]] ?? 0);
}

// A `var`, because Sphinx's own script declares the same name again where it is missing.
var Scorer = {
  score: ([page, , , , score]) => score + ahead(page),
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
