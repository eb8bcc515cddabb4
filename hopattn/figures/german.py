"""The words of figures in German: the notes below them, and all tables in one."""

from hopattn.figures.german_axes import AXES
from hopattn.figures.german_sentences import SENTENCES

NOTES = {
    "squares: synapses, with their energies": "Quadrate: Synapsen mit ihren Energien",
    "framed: a hidden patch, a token that is free": "umrahmt: ein verdecktes Stück, ein freies Token",
    "the cue ‘{}’: energy\u00a0{n}": "der Reiz „{}“: Energie\u00a0{}",
    "after {n} steps: energy\u00a0{n}": "nach {} Schritten: Energie\u00a0{}",
    "after {n} step: energy\u00a0{n}": "nach {} Schritt: Energie\u00a0{}",
    "cue: E = {n}": "Reiz: E = {}",
    "sweep {n}: E = {n}": "Durchgang {}: E = {}",
    "their sum": "ihre Summe",
    "{n} of {n} parts": "{} von {} Teilen",
    "hatched: hidden by the mask": "schraffiert: von der Maske verdeckt",
    "hidden by the mask": "von der Maske verdeckt",
    "dashed: below 0": "gestrichelt: unter 0",
    "hatched: not measured": "schraffiert: nicht gemessen",
    "framed: the pattern that the state is most like": "umrahmt: das Muster, dem der Zustand am ähnlichsten ist",
    "from left to right: activations a, weights w, sum, output": "von links nach rechts: Aktivierungen a, Gewichte w, "
    "Summe, Ausgabe",
    "the query: {}": "die Anfrage: {}",
    "off the plane": "außerhalb der Ebene",
    "cosines over all {n}": "Kosinus über alle {}",
    "messages to ‘{}’": "Nachrichten an „{}“",
    "to other words": "an andere Wörter",
    "{} differs by {n} at most": "{} weicht um höchstens {} ab",
    "{} differ by {n} at most": "{} weichen um höchstens {} ab",
    "{} and {} differ by {n} at most": "{} und {} weichen um höchstens {} ab",
    "{}: the same": "{}: gleich",
    "{n} others": "{} andere",
    "… {n} words …": "… {} Wörter …",
    "{n} keys": "{} Schlüssel",
    "all": "alle",
    "none": "keinen",
    "bold: {}": "fett: {}",
    "every second word is named": "jedes zweite Wort hat seinen Namen",
    "words without their names where there are more than {n}": "Wörter ohne ihre Namen, wo es mehr als {} sind",
    "from the key (its colour) to the query": "vom Schlüssel (seine Farbe) zur Anfrage",
    "weight below {n}": "Gewicht unter {}",
    "weight above {n}": "Gewicht über {}",
    "each cell: the mean of {n} trials": "jede Zelle: das Mittel von {} Versuchen",
    "each point: the mean of {n} trials": "jeder Punkt: das Mittel von {} Versuchen",
    "each cell: {n} trial": "jede Zelle: {} Versuch",
    "each point: {n} trial": "jeder Punkt: {} Versuch",
    "band: its {n} % interval": "Band: sein {}-%-Intervall",
    "bar: its {n} % interval": "Balken: sein {}-%-Intervall",
    "points: measured": "Punkte: gemessen",
    "line: theory": "Linie: Theorie",
    "line: theory, N → ∞": "Linie: Theorie, N → ∞",
    "from the key to the query": "vom Schlüssel zur Anfrage",
    "leads elsewhere": "führt anderswohin",
    "copied": "kopiert",
    "above: looks back; below: looks ahead": "oben: blickt zurück; unten: blickt voraus",
    "above: looks back": "oben: blickt zurück",
    "below: looks ahead": "unten: blickt voraus",
    "colour: the key": "Farbe: der Schlüssel",
    "weight {n}": "Gewicht {}",
    "below {n}": "unter {}",
    "flipped by the recall": "vom Abruf umgekehrt",
    "a dot for each query": "ein Punkt je Anfrage",
    "box: the middle half": "Kasten: die mittlere Hälfte",
    "bar: the median": "Strich: der Median",
    "dots: {n} cues": "Punkte: {} Reize",
    "dots: {n} cues in each run": "Punkte: {} Reize in jedem Lauf",
    "{n} cues, bands: mean ± {n} standard errors": "{} Reize, Bänder: Mittel ± {} Standardfehler",
    "{n} cues in each run, bands: mean ± {n} standard errors": "{} Reize in jedem Lauf, Bänder: "
    "Mittel ± {} Standardfehler",
    "not defined below {n} keys: such queries are left out": "unter {} Schlüsseln nicht definiert: "
    "solche Anfragen fehlen",
    "most cues start above the picture, up to {n}": "die meisten Reize liegen über dem Bild, bis {}",
    "a rise from the floor: softmax is not saturated in that layer": "Anstieg vom Boden: "
    "in dieser Schicht ist Softmax nicht gesättigt",
    "pale bar: capacity, from which on a memory loses few keys": "blasser Balken: Kapazität, ab der "
    "ein Gedächtnis wenige Schlüssel verliert",
    "no formula for ‘{}’": "keine Formel für „{}“",
    "bars: medians": "Balken: Mediane",
    "dashed: {}": "gestrichelt: {}",
    "dashed: one layer": "gestrichelt: eine Schicht",
    "dashed: two layers": "gestrichelt: zwei Schichten",
    "dotted: {}": "gepunktet: {}",
    "dashed: the mean at this offset": "gestrichelt: das Mittel bei diesem Abstand",
    "a vertical axis does not start at 0": "eine senkrechte Achse beginnt nicht bei 0",
    "the vertical axes do not start at 0": "die senkrechten Achsen beginnen nicht bei 0",
    "points: mean ± {n} standard errors": "Punkte: Mittel ± {} Standardfehler",
    "pale: the reverse of a pattern": "blass: die Umkehrung eines Musters",
    "hollow: a pattern reversed": "hohl: ein Muster umgekehrt",
    "lines: the law": "Linien: das Gesetz",
    "branches join at the lowest pass": "Äste treffen sich am niedrigsten Pass",
    "left out: {n} minima that are flat or high": "nicht gezeichnet: {} flache oder hohe Minima",
    "parts below {n} have no number": "Teile unter {} haben keine Zahl",
    "bars: 95% intervals": "Balken: 95-%-Intervalle",
    "ring: the radius, at which half of the cues return": "Ring: der Radius, bei dem die Hälfte der Reize zurückkehrt",
    "bars: ± 2 standard errors over memories": "Balken: ± 2 Standardfehler über Gedächtnisse",
    "radius: the damage from which half of the cues return": "Radius: der Schaden, bei dem die Hälfte der Reize "
    "zurückkehrt",
    "grey: chance ± {n} standard errors": "grau: Zufall ± {} Standardfehler",
    "thin: as near as at the start": "dünn: so nah wie am Anfang",
    "dotted: recalled from {n} up": "gepunktet: abgerufen ab {}",
    "rows: elements of a value": "Zeilen: Elemente eines Werts",
    "columns: features of a key": "Spalten: Merkmale eines Schlüssels",
    "framed: changed by the word": "umrahmt: vom Wort geändert",
    "rows that stay 0 are left out": "Zeilen, die 0 bleiben, fehlen",
    "the first {n} of {n} words": "die ersten {} von {} Wörtern",
    "× n: twice the words take n times the work": "× n: doppelt so viele Wörter kosten n-mal so viel Arbeit",
    "in brackets: attention spread evenly over the visible words": "in Klammern: gleich verteilt auf die sichtbaren "
    "Wörter",
    "bold: at least twice that": "fett: mindestens das Doppelte",
    "colour: how far above that": "Farbe: wie weit darüber",
    "left out: {n} heads whose scores are those in brackets": "nicht gezeichnet: {} Köpfe mit den Werten in Klammern",
    "attention adds: side by side × output matrix": "Aufmerksamkeit addiert: nebeneinander × Ausgabematrix",
    "feed-forward adds: W₂ × hidden neurons, plus bias": "Feed-forward addiert: W₂ × verborgene Neuronen, plus Bias",
    "higher than {n}: no colour": "über {}: keine Farbe",
    "blue: above 0, orange: below 0, without colour: 0": "blau: über 0, orange: unter 0, ohne Farbe: 0",
    "no room for the numbers of a table without them": "kein Platz für die Zahlen einer Tabelle ohne sie",
    "maps without noise": "Karten ohne Rauschen",
    "stray weight": "verirrtes Gewicht",
    "the same in all {n} runs": "gleich in allen {} Läufen",
    "each panel has its own scale": "jede Tafel hat ihre eigene Skala",
    "a dashed line has a weight below 0": "eine gestrichelte Linie hat ein Gewicht unter 0",
    "blue: the query (row) selects the key (column)": "blau: die Anfrage (Zeile) wählt den Schlüssel (Spalte)",
    "across: the score of one pattern": "waagrecht: der Punktwert eines Musters",
    "two others have the scores 0 and 1": "zwei andere haben die Punktwerte 0 und 1",
    "β = 1 in every panel": "β = 1 in jeder Tafel",
    "dashed: softmax": "gestrichelt: Softmax",
    "framed: the separation of this memory": "umrahmt: die Trennung dieses Gedächtnisses",
    "framed: the separation of this memory, the same as {}": "umrahmt: die Trennung dieses Gedächtnisses, gleich {}",
    "framed: a wrong answer": "umrahmt: eine falsche Antwort",
    "not drawn: {} {n} of {n}": "nicht gezeichnet: {} {} von {}",
    "{} {n} of {n}": "{} {} von {}",
    "cosines with {}": "Kosinus mit {}",
    "arc: its smallest angle": "Bogen: sein kleinster Winkel",
    "did not move": "nicht bewegt",
    "the grid is mapped with the words": "das Gitter wird mit den Wörtern abgebildet",
    "+ spin 1, − spin −1": "+ Spin 1, − Spin −1",
    "+ neuron 1, − neuron 0": "+ Neuron 1, − Neuron 0",
    "ring k: k spins differ from the middle": "Ring k: k Spins sind anders als in der Mitte",
    "filled: a stored pattern": "gefüllt: ein gespeichertes Muster",
    "hollow: its reverse": "hohl: seine Umkehrung",
    "grey: neither": "grau: keins von beiden",
    "{n} more basins hold {n} of the {n} states": "{} weitere Becken halten {} der {} Zustände",
    "number: kind seen": "Zahl: gesehene Art",
    "ring: start": "Ring: Anfang",
    "dotted: not walked": "gepunktet: nicht begangen",
    "known: walked again": "bekannt: erneut",
    "ring: the place of the memory": "Ring: der Ort der Erinnerung",
    "± one standard error of {n} draws": "± ein Standardfehler von {} Ziehungen",
    "{n} cues and {n} keys of dim {n}": "{} Reize und {} Schlüssel der Dimension {}",
    "{n} cue and {n} keys of dim {n}": "{} Reiz und {} Schlüssel der Dimension {}",
    "{n} patterns of dim {n}": "{} Muster der Dimension {}",
    "{n} random patterns of ±1 of {n} neurons": "{} Zufallsmuster aus ±1 mit {} Neuronen",
    "{n} random patterns of ±1 of {n} neurons, {n} of the neurons reversed": "{} Zufallsmuster aus ±1 mit {} Neuronen, "
    "{} der Neuronen umgekehrt",
    "{n} random patterns of ±1 of {n} neurons, {n} of the neurons hidden": "{} Zufallsmuster aus ±1 mit {} Neuronen, "
    "{} der Neuronen verdeckt",
    "no cue converged": "kein Reiz konvergiert",
    "means of {n} places: {} to {}": "Mittel von {} Orten: {} bis {}",
    "places {} … {}": "Orte {} … {}",
    "{} could not take part": "{} konnte nicht teilnehmen",
    "the share recalled falls below {n} here": "hier fällt der abgerufene Anteil unter {}",
    "{n} of {n} lie beyond the grid": "{} von {} liegen außerhalb des Gitters",
    "the mean of {n} trials": "das Mittel von {} Versuchen",
    "1 trial": "1 Versuch",
    "bars: {n} % interval": "Balken: {}-%-Intervall",
    "{n} of {n} arcs, the strongest": "{} von {} Bögen, die stärksten",
    "{n} of {n} heads of layer {n}": "{} von {} Köpfen der Schicht {}",
    "words without their names, the first on top and on the left": "Wörter ohne ihre Namen, das erste oben und links",
}
"""The notes below figures."""

_COUNTED = {
    **{"arcs": "Bögen", "axes": "Achsen", "cues": "Reizen", "curves": "Kurven"},
    **{"different pictures": "verschiedenen Bildern", "heads": "Köpfen", "keys": "Schlüsseln"},
    **{"layers": "Schichten", "masks": "Masken"},
    **{"matrices": "Matrizen", "measures": "Maßen", "memories": "Erinnerungen", "modules": "Modulen"},
    **{"panels": "Tafeln", "patterns": "Mustern", "positions": "Positionen", "queries": "Anfragen"},
    **{"runs": "Läufen", "runs and heads": "Läufen und Köpfen", "trainings": "Trainings"},
    **{"weights between words": "Gewichten zwischen Wörtern", "words": "Wörtern"},
    **{"words with their names": "Wörtern mit ihren Namen"},
}
"""The things of which a figure draws some, as in "2 of 4 axes"."""
_WAYS = {
    "one neuron after the other": "ein Neuron nach dem anderen",
    "one neuron after the other, by chance": "ein Neuron nach dem anderen, nach dem Zufall",
    "all neurons at once": "alle Neuronen auf einmal",
}
_PARTS = {f"{{n}} of {{n}} {own}": f"{{}} von {{}} {its}" for own, its in _COUNTED.items()}
_RULES = {f"key {{}} {sign} {{}}": f"Schlüssel: {{}} {sign} {{}}" for sign in "=≠<≤>≥"}
_ORDERS = {
    "": "",
    ", in sequence": ", der Reihe nach",
    ", in random order": ", in zufälliger Reihenfolge",
    ", in the order given": ", in der gegebenen Reihenfolge",
}
_TIES = {"": "", ", up at a field of 0": ", auf 1 bei einem Feld von 0"}
_ARROWS = {
    f"{sign} leads to the next state, {way}{order}{ties}": f"{its} führt zum nächsten Zustand, {its_way}{its_order}{up}"
    for sign, its in {"an arrow": "ein Pfeil", "a line": "eine Linie"}.items()
    for way, its_way in _WAYS.items()
    for order, its_order in _ORDERS.items()
    for ties, up in _TIES.items()
}
_OUTCOMES = {
    "recalls {}": "ruft {} ab",
    "recalls ‘{}’": "ruft „{}“ ab",
    "ends in {} reversed": "endet bei {} umgekehrt",
    "ends in a mixture: {}": "endet bei einer Mischung: {}",
}
_SAME = {
    f"{{}} and {{}} on the same cue: each {own}": f"{{}} und {{}} am selben Reiz: beides {its}"
    for own, its in _OUTCOMES.items()
}
_OTHER = {
    f"the same cue: {{}} {one}, {{}} {other}": f"derselbe Reiz: {{}} {its}, {{}} {others}"
    for one, its in _OUTCOMES.items()
    for other, others in _OUTCOMES.items()
}

GERMAN = AXES | SENTENCES | NOTES | _PARTS | _RULES | _ARROWS | _SAME | _OTHER
