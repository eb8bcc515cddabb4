"""What scenario files of the kinds from memory to walk are refused with: a change of a text, the place, key words."""

import re

import numpy as np
import pytest
from PIL import Image

import hopattn as ha
from hopattn.scenario.files import shipped_folder
from hopattn.scenario.kinds import kinds
from tests.refusal import assert_says, problems, refused
from tests.runs import result_of
from tests.scenario.test_task_answers import TASK
from tests.texts import GOOD, HUGE, parsed

TEMPLATES = {name: kind.template() for name, kind in kinds.items()}
WORDS = (
    '[vocabulary]\naxes = ["1", "2", "3", "4"]\nmagnitude = "free"\nwords = { a = [1, 2, 0, 1], b = [0, 1, 3, 1] }\n'
)
MEMORY = (
    'kind = "memory"\n[pictures]\nletters = "JRSVX12"\n[memory]\npatterns = ["J", "R", "S"]\n# more\n'
    '[cue."torn J"]\nof = "J"\nflip = 0.1\n[[expect]]\nat = "torn J"\nrecalls = "J"\n'
)
VECTORS = (
    'kind = "memory"\n[vocabulary]\naxes = ["x", "y"]\nmagnitude = "free"\n'
    'words = { half = [0.5, 0.5], odd = [0, 0] }\n[memory]\npatterns = ["half", "odd"]\n# more\n[input]\n'
    'tokens = ["half"]\n'
)
OF_NUMBERS = 'kind = "memory"\n[memory]\npatterns = [[1, 1, -1], [1, -1, 1]]\n# more\n[input]\ntokens = ["1"]\n'
BLOCK = (
    'kind = "network"\n[pictures]\nletters = "AJ"\n[energy_transformer]\npictures = ["A", "J"]\npatches = 7\n'
    '[cue.one]\npicture = { of = "A", hide = "top" }\n'
)
TEXT = f"""kind = "attention"
{WORDS}[input]
tokens = ["a", "b", "a"]
[[layer]]
[[layer.head]]
# more
"""
SPACES = '[spaces]\nposition = ["1", "2", "3", "4"]\nword = "vocabulary"\n'
PARTS = TEXT.replace("[[layer]]", SPACES + "[positions]\nsinusoidal = true\n[[layer]]")
PRACTICE = (
    'kind = "cue"\n[vocabulary]\naxes = ["a", "b"]\nwords = { x = [0.6, 0.8] }\n[input]\ntokens = ["x"]\n'
    '[network.neurons]\nn = [0.8, 0.6]\n[[expect]]\nat = "x"\nis = [0.96]\nasked = true\n[practice]\n'
    'errors = ["signs-lost", "last-number-left-out", "numbers-in-another-order"]\n[practice.vary]\n'
    '"vocabulary.words.x" = "unit-tenths"\n'
)
TRAINED = 'kind = "probe"\n[probe]\ntraining = "no-positions"\nsequences = 20\n'
SIMULATION = (
    'kind = "simulation"\n[simulation]\nof = { name = "learnable", points = 36, dim = 20 }\n'
    'theory = "separable_share"\nmeasure = "learned"\ntimes = 40\n'
)
GRAPH = (
    'kind = "walk"\n[walk]\nsteps = 20\nangles = { go = [90, 0], over = [0, 180] }\n[walk.graph]\n'
    'edges = [["a", "go", "b"], ["b", "over", "c"]]\ninverse = { go = "back", over = "over" }\n'
)
TORCH = (
    'kind = "attention"\n[spaces]\nword = ["a", "b", "c", "d"]\n[input]\ntokens = ["a", "b", "c"]\n'
    '[[layer]]\n[layer.from_torch]\nfile = "layer.npz"\nheads = 2\n'
)
LOOKS = re.search(r"start = .*w_context = \[\[0, 1\], \[1, 0\]\]", TEMPLATES["recurrent"], re.DOTALL)[0]
SPINS = TEMPLATES["network"].replace('"tanh", beta = 2', '"sign"').replace("0.5, 0.9", "1, 1").replace("-0.9", "-1")
MORE, INPUT, LAYER, NEURONS = "# more", "[input]", "[[layer]]", "[network.neurons]"
LETTERS, STORED, RECALLS = 'letters = "JRSVX12"', 'patterns = ["J", "R", "S"]', 'recalls = "J"'
TOKENS, HEADS, WIDTH = 'tokens = ["a", "b", "a"]', "heads = 2", 'width = "same"'
ON, ABOVE, CROSS = 'on = ["hidden", "visible"]', 'is = "above chance"', "[[decoder.cross.head]]"
LEARNABLE = '{ name = "learnable", points = 36, dim = 20 }'
OF_THEORY = LEARNABLE + '\ntheory = "separable_share"'
SHORT = {
    "EYE4": "[[1, 0, 0, 0], [0, 2, 0, 0], [0, 0, 3, 0]]",
    "EYE": "[[1, 0, 0], [0, 1, 0], [0, 0, 1]]",
    "NOISY": "context = 9, dim = 5, signal = 1, noise = 1",
    "FED": "feed_forward = { inner = [[1, 0, 0, 0]], outer = OUTER",
    "OUTER": "[[1], [1], [1], [1]]",
    "ONES": str([1] * 513),
    "MANY": str([["halves"] * 60]).replace("'", '"'),
    "SEVEN": str(["#...."] * 7).replace("'", '"'),
}

# fmt: off
ROWS = {
("memory", MEMORY): [
    ('[pictures]\nletters = "JRSVX12"\n', "", "1", "[vocabulary]", "[pictures]"),
    ('letters = "JRSVX12"\n', "", "5: pictures", "letters, drawn or files"),
    ('letters = "JRSVX12"\n', 'files = { J = "a.csv" }\n', "5: pictures", "size = [columns, rows]"),
    (MORE, 'model = "hopfeld"', "9: memory.model", "'hopfeld'", "'hopfield'"),
    (MORE, 'model = { name = "dense", n = 1 }', "9: memory.model", "n:", "from 2", "1"),
    (MORE, 'model = "sdm"', "9: memory.model", "'sdm'", "radius = …"),
    (MORE, 'model = "modern"\nbeta = 2', "10: memory.beta", "'modern'", 'model = { name = "modern", beta = 2 }'),
    (MORE, 'model = { name = "spherical", beta = 2.5 }\nseparation = "softmax"', "10: memory.separation",
     '{ name = "spherical", beta = 2.5, separation = "softmax" }'),
    (MORE, 'model = { name = "modern", beta = 2.5 }\nbeta = 2', "10: memory.beta", "'modern'", "leave one"),
    (MORE, 'model = "modern"\nsimilarity = "cosine"', "10: memory.similarity", "'modern'", "leave one"),
    (MORE, 'model = "bam"', "7: memory", "'bam'", "values"),
    (MORE, 'model = "dense"\nvalues = ["1", "2", "V"]', "10: memory.values", "'dense'"),
    (MORE, 'model = "bam"\nvalues = ["1"]', "10: memory.values", "1 values", "3 patterns"),
    (MORE, 'model = "bam"\nvalues = ["1", "2", "W"]', "10: memory.values.3", "'W'", "[pictures]"),
    (MORE, 'update = "asink"', "9: memory.update", "'asink'", "'async'"),
    (MORE, 'update = "glauber"', "9: memory.update", "'glauber'", "temperature = …"),
    (MORE, 'update = { name = "glauber", temperature = -1 }', "9: memory.update.temperature", "-1"),
    (MORE, 'update = { name = "async", order = "rndom" }', "9: memory.update.order", "'rndom'", "'random'"),
    (MORE, 'update = { name = "async", order = [] }', "9: memory.update.order", "[] does not fit", "[2, 1, 3]"),
    (MORE, "weights = [[1]]", "9: memory.weights", "write couplings"),
    (MORE, 'model = { name = "hopfield", diagonal = 0 }', "9: memory.model.diagonal", "the diagonal is 0"),
    (MORE, 'model = { name = "hopfield", normalise = true }', "9: memory.model.normalise", "divides by N"),
    (MORE, "[initial]", "9: initial", "write [cue.start] with state = […]"),
    (MORE, "theta = 1", "9: memory.theta", "write threshold"),
    (MORE, 'activation = "binary"', "9: memory.activation", "'sign' for ±1, or 'step' for 0 and 1"),
    ('[cue."torn J"]', "[cue]", "11: cue.of", "1 more below", "write [cue.one] on the line above"),
    ('kind = "memory"', 'kind = "hopfield"', "4: kind", 'kind = "memory", and model = "hopfield" in [memory]'),
    (RECALLS, "energy = -0.5", "15: expect.1.energy", '"falls" or "rises"', 'columns = ["0"], is = [-0.5]'),
    (MORE, 'model = { name = "hopfield", rule = "outer" }', "9: memory.model.rule", "did you mean 'outer_products'?"),
    (MORE, 'similarity = "cosine"\nactivation = "sign"\nupdate = "async"', "11: memory.update", "'cosine'"),
    (MORE, 'model = { name = "hopfield", rule = "heb" }', "9: memory.model.rule", "'heb'", "'hebb'"),
    (MORE, 'between = ["J", "Q"]', "9: memory.between.2", "'Q'", "J, R, S"),
    (MORE, 'model = { name = "universal", separation = "identity", sink = 0 }', "9: memory.model", "sink:", "softmax"),
    (MORE, 'separation = "power"\nsink = 0', "10: memory.sink", "'power'", "softmax"),
    (MORE, 'separation = { name = "power", n = 0 }', "9: memory.separation", "n:", "0"),
    (MORE, 'model = "input_driven"', "7: memory", 'input = "a word"'),
    (MORE, 'model = "input_driven"\ninput = "Q"', "10: memory.input", "'Q'", "[pictures]"),
    (MORE, 'model = "hopfield"\ninput = "J"', "10: memory.input", "'input_driven'"),
    (MORE, 'between = ["J"]', "9: memory.between", "1 entry", "2"),
    (MORE, 'model = "sequence"\nbetween = ["J", "R"]', "10: memory.between", "no energy"),
    (MORE, "max_steps = 1000000", "9: memory.max_steps", "1000000", "100000"),
    (STORED, "patterns = []", "8: memory.patterns", "empty"),
    (STORED, 'patterns = ["J", "R", "J"]\nmodel = { name = "hopfield", rule = "pseudo_inverse" }', "9: memory.model",
     "'J'", "depends"),
    (RECALLS, 'recalls = "X"', "15: expect.1.recalls", "'X'", "J, R, S, nothing"),
    (RECALLS, 'answers = "1"', "15: expect.1.answers", "'answers'", "second side"),
    (RECALLS, 'visits = ["J", "Q"]', "15: expect.1.visits.2", "'Q'"),
    (RECALLS, "visits = []", "15: expect.1.visits", "empty"),
    ('at = "torn J"\nrecalls = "J"', 'weight = { from = "torn J", to = "rest" }\nis = 0', "14: expect.1.weight.to",
     "'rest'", "J, R, S"),
    (LETTERS, 'letters = "JRSVX12a"', "6: pictures.letters", "'a'", "'A'"),
    (LETTERS, 'letters = "JRSVX12J"', "6: pictures.letters", "'J'", "2 times"),
    (LETTERS, "~\nsize = [5]", "7: pictures.size", "1 numbers", "columns"),
    (LETTERS, "~\nsize = [9999, 9999]", "7: pictures.size", "8,388,608"),
    (LETTERS, "~\nsize = [5, 0]", "7: pictures.size.2", "0", "1"),
    (LETTERS, "~\nsize = [5, 6]", "6: pictures.letters", "5 × 7", "5 × 6"),
    (LETTERS, '~\ndrawn = { bar = ["##x##"] }', "7: pictures.drawn.bar.1", "'x'", "'#'", "'.'"),
    (LETTERS, '~\ndrawn = { bar = ["####", "#####"] }', "7: pictures.drawn.bar.2", "5 pixels", "4"),
    (LETTERS, '~\ndrawn = { bar = ["#####"] }', "7: pictures.drawn.bar", "5 × 1", "5 × 7"),
    (LETTERS, "~\ndrawn = { J = SEVEN }", "7: pictures.drawn.J", "'J'", "another"),
    (STORED, 'patterns = ["J", "R", "y"]', "8: memory.patterns.3", "'y'", "J, R, S"),
    (STORED, 'patterns = ["J", "R", "Y"]', "8: memory.patterns.3", "'Y'", "[pictures]"),
    (LETTERS, '~\nfiles = { cat = "ct.png" }', "7: pictures.files.cat", "'ct.png'"),
    (LETTERS, '~\nfiles = { cat = "cat.gif" }', "7: pictures.files.cat", "'cat.gif'", "reads a .png"),
    (LETTERS, '~\nfiles = { cat = "cat.png" }', "7: pictures.files.cat", "3 × 1", "5 × 7", "size ="),
    (LETTERS, '~\nfiles = { cat = "a.csv" }', "7: pictures.files.cat", "1 × 2", "35", "7"),
    (LETTERS, '~\nfiles = { cat = { file = "cat.png", black_above = 3 } }', "7: pictures.files.cat.black_above",
     "arrays"),
    (LETTERS, '~\nfiles = { cat = { file = "a.csv", grey = true } }', "7: pictures.files.cat.grey", "images"),
    (LETTERS, '~\nfiles = { cat = { file = "a.csv", array = "x" } }', "7: pictures.files.cat.array", ".npz", ".csv"),
    (LETTERS, '~\ncat = "cat.png"', "7: pictures.cat", "picture of your own", "write files.cat"),
    (LETTERS, '~\ncat = { file = "cat.png" }\ndog = ["#.", ".#"]', "8: pictures.dog", "write drawn.dog", 2),
    (LETTERS, '~\nleters = "A"', "7: pictures.leters", "'leters'", "'letters'"),
    (STORED, 'patterns = ["J", [1, -1]]', "8: memory.patterns.2", "2 numbers", "35 axes"),
    (STORED, 'patterns = "mine.csv"', "8: memory.patterns", "'mine.csv'", 'files.a = "mine.csv" in [pictures]'),
    (STORED, "patterns = [1, -1]", "8: memory.patterns.1", "got 1", "a text or an array", 2),
    (STORED, f"patterns = [{[1] * 35}]", "8: memory.patterns.1", "'1'", "rename"),
],
("memory of numbers", OF_NUMBERS): [
    (MORE, 'model = "hopfield"\nactivation = "step"\ncouplings = EYE', "7: memory.model", "with `couplings`"),
    ("[1, -1, 1]", "[1, -1]", "6: memory.patterns.2", "2 numbers", "3 axes"),
    ('"1"', '"4"', "9: input.tokens.1", "'4'", "1, 2"),
    (MORE, "values = [[1, 1, 1], [1]]", "7: memory.values.2", "1 numbers", "3 axes"),
    (MORE, 'values = ["a", "b"]', "7: memory.values.1", "'a'", "1, 2", 2),
    (MORE, 'model = "modern"\nbetween = ["1", "3"]', "8: memory.between.2", "'3'", "1, 2"),
    (MORE, 'model = { name = "dense", n = 1 }', "7: memory.model", "n:", "from 2", "1"),
    ("[1, -1, 1]]", '[0, 0, 0]]\nmodel = "modern"', "7: memory.model", "'2' is zero"),
    ("[1, -1, 1]", '"w"', "1", "[vocabulary]"),
    (INPUT, '[[without]]\npattern = ["1", "2"]\n~', "9: without.1.pattern", "every pattern"),
],
("memory of vectors", VECTORS): [
    ('"odd"]', '"half"]\n[[expect]]\nweight = { from = "half", to = "half" }\nis = 0.5', "12: expect.1.weight.to",
     "2 times", "half#1", "half#2"),
    ('odd = [0, 0] }\n[memory]\npatterns = ["half", "odd"]', 'nothing = [0, 0] }\n[memory]\npatterns = ["nothing"]',
     "10: memory.patterns", "'nothing'", "rename"),
    ("[0, 0]", "[1e308, 1]", "10: memory.patterns", "'odd'", "1e+308"),
    ('"free"', '"normalise"', "8: vocabulary.words.odd", "zero"),
    (MORE, 'model = "modern"', "11: memory.model", "'odd' is zero"),
    (INPUT, '[[without]]\npattern = "ood"\n~', "13: without.1.pattern", "'ood'", "'odd'"),
    (INPUT, '[[without]]\npattern = ["odd", "half"]\n~', "13: without.1.pattern", "every pattern"),
    (INPUT, '[[without]]\npattern = "odd"\nlayer = 1\n~', "14: without.1.layer", "'layer'"),
    (INPUT, '[[without]]\ntoken = "odd"\n~', "12: without.1", "heads", 'pattern = "odd"'),
    (INPUT, '[pictures.drawn]\nleft = ["#.."]\n~', "6: vocabulary.axes", "2 axes", "3 pixels"),
    (MORE, 'activation = "sign"', "13: input.tokens.1", "'half'", "0.5"),
    ('odd"]', 'nothing"]\nbeta = 1', "10: memory.patterns.2", "'nothing'", "unknown"),
    ("[memory]", '[pictures.drawn]\nodd = ["#."]\n~', "8: vocabulary.words.odd", "'odd'", "picture"),
],
("memory_circuit", TEMPLATES["memory_circuit"]): [
    ("triggers = 3", "triggers = 20", "11: circuit.triggers", "20 of 20"),
    ("[16, 128, 512]", "[16, 512, 16]", "8: circuit.widths", "16", "2 times"),
    ("[16, 128, 512]", "[0.5, 512]", "8: circuit.widths.1", "0.5", "whole"),
    ("[16, 128, 512]", "[512, 100000]", "7: circuit", "GiB"),
    ("length = 64", "length = 1", "10: circuit.length", "1", "2"),
    ("length = 64", "length = 10000000", "7: circuit", "GiB"),
    ('measure = "output at 512"', 'measure = "output at 32"', "15: expect.1.measure", "'output at 32'", "output at 16"),
],
("messages", TEMPLATES["messages"]): [
    ('["bat", "cave#1"]', '["bat", "cove"]', "17: graph.edges.1", "'cove'", "bat, cave#1, cave#2"),
    ('["bat", "cave#1"]', '["bat", "cave"]', "17: graph.edges.1", "'cave'", "2 times", "cave#1", "cave#2"),
    ('["bat", "cave#1"]', '["bat", "cave#2"]', "17: graph.edges", "'bat → cave#2'", "2 times"),
    ('edges = [["bat", "cave#1"], ["bat", "cave#2"], ["cave#2", "cave#1"]]', "edges = []", "17: graph.edges", "empty"),
    ('mask = "none"', "", "20: layer.1.head.1.mask", 'mask = "none"'),
    ('mask = "none"', 'mask = "strict"', "22: layer.1.head.1.mask", 'mask = "none"'),
    ('mask = "none"', "~\nweights = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]", "23: layer.1.head.1.weights", "query", "key"),
    ('"cave"]  ', '"cave"]\nbatch = [["bat", "bat", "bat"]]', "15: input.batch", "'attention'", "batch"),
],
("network", TEMPLATES["network"]): [
    ('weights = ["stripes", "halves"]', "weights = MANY", "25: network.synapses.1.weights", "GiB"),
    (ON, 'on = ["hidden", "hidden"]', "22: network.synapses.1", "(2, 6)", "(2, 2)"),
    (ON, 'on = ["visible", "hidden"]', "22: network.synapses.1", "(2, 6)", "(6, 2)", "other order"),
    (ON, 'on = ["hidden", "visibel"]', "24: network.synapses.1.on", "'visibel'", "'visible'"),
    ('update = "layers"', 'update = { name = "langevin", temperature = 1, dt = 0.1 }', "16: network.update",
     "'tanh, softmax'", "`update`"),
    ("shape = 2", "shape = 0", "20: network.layers.hidden.shape", "0", "1"),
    ("shape = 2", "shape = 1000000000000", "20: network.layers.hidden.shape", "GiB", 2),
    ("clamp = []", 'clamp = ["visible", "hidden"]', "17: network.clamp", "clamped"),
    ("clamp = []", 'clamp = ["visibel"]', "17: network.clamp.1", "'visibel'", "'visible'"),
    ("[1, -1, 1, -1, 1, -1]", "[1, 1, 1, -1, -1, -1]", "19: network.layers.visible.patterns.2",
     "'stripes' and 'halves'"),
    ("shape = 2", '~, patterns = ["halves"]', "20: network.layers.hidden.patterns.1", "'halves'", "2 neurons"),
    ('"softmax"', '"linear_attention"', "20: network.layers.hidden.activation", "'linear_attention'"),
    ('name = "dense"', 'name = "function"', "22: network.synapses.1", "'function'"),
    ('weights = ["stripes", "halves"]', 'weights = ["stripes", "half"]', "25: network.synapses.1.weights", "'half'"),
    ('weights = ["stripes", "halves"]', "weights = [[1, 2], [3]]", "25: network.synapses.1.weights", "equal length"),
    ('weights = ["stripes", "halves"]', 'weights = [["halves"], ["halves", "stripes"]]',
     "25: network.synapses.1.weights", "group"),
    ("visible = [0.5, 0.9, -0.9, -0.9, -0.9, -0.9]", "visible = [1, 2]", "28: cue.damaged.visible", "2 numbers"),
    ("visible = [0.5", "visibel = [0.5", "28: cue.damaged.visibel", "'visibel'", "'visible'"),
    ("[network]\n", "[energy_transformer]\nquery = [[[1]]]\n~", "1", "`network`", "`energy_transformer`"),
    ('recalls = "halves"', 'answers = "halves"', "32: expect.1.answers", "'answers'", "second layer"),
],
("spins", SPINS): [
    ("visible = [1", "visible = [0.5", "27: cue.damaged", "0.5", "'visible'"),
    ('update = "layers"', 'update = "time"', "16: network.update", "'visible'", "jump"),
],
("energy transformer", BLOCK): [
    ("patches = 7", "patches = 6", "9: energy_transformer.patches", "6", "35"),
    ('"A", "J"]', '"A", "K"]', "8: energy_transformer.pictures.2", "'K'", "A, J"),
    (', hide = "top"', "", "11: cue.one.picture", "clamped"),
    ("picture = ", "pictur = ", "10: cue.one", "'pictur'", "'picture'"),
    ("patches = 7", "memories = [[1]]", "9: energy_transformer.memories", "`query`", "`pictures`"),
    ('pictures = ["A", "J"]\npatches = 7', "query = [[[1, 2]]]", "7: energy_transformer", "`key`", "`memories`"),
    ('pictures = ["A", "J"]\npatches = 7', "query = [[[1, 2]]]\nkey = [[[1]]]\nmemories = [[1, 2]]",
     "9: energy_transformer.key", "(1, 1, 1)", "dim = 2 of w_query"),
],
("text", TEXT): [
    (MORE, "W_Q = [[1]]", "13: layer.1.head.1.W_Q", "write query"),
    (WORDS, '[vocabulary]\naxes = ["1"]\nwords = { a = [1], b = [-1] }\n[positions]\nturn = 9\nhow = "add"\n',
     "10: positions.how", "odd"),
    (WORDS, '[spaces]\nword = "vocabulary"\n[positions]\nsinusoidal = true\nhow = "add"\n', "6: spaces.word",
     '"vocabulary"', "[vocabulary]"),
    (WORDS, "[spaces]\nword = { random = 2 }\n[readout]\n", "7: readout", "written out", 3),
    (WORDS, "[spaces]\nword = { random = 1_000_000_000 }\n", "1", "3 words", "1,000,000,000", "GiB"),
    (MORE, "scores = EYE\nweights = EYE", "14: layer.1.head.1.weights", "scores", "weights"),
    (MORE, "query = { scale = 2 }\nscores = EYE", "13: layer.1.head.1.query", "scores", "weights"),
    (MORE, '[[variant]]\nname = "v"\nset = { seed = 1 }\n[[variant]]\nname = "v"\nset = { seed = 2 }',
     "17: variant.2.name", "'v'", "two"),
    (MORE, '[[expect]]\nat = "b"\nof = "context"\nnearest = "a"', "14: expect.1.at", "'context'"),
    (MORE, '[[layer.head]]\n[[expect]]\nmatrix = "weights"\nis = EYE', "15: expect.1.matrix", "the layer and head"),
    (MORE, '[figure]\ngallery = "atention"', "14: figure.gallery", "'atention'", "'attention'"),
    (MORE, '[figure]\nrun = "v"', "14: figure.run", "'v'"),
    (MORE, '[figure]\nnames = ["one", "two"]', "14: figure.names", "names"),
    ("[vocabulary]", "[vocabulry]", "5: vocabulry", "'vocabulry'", "'vocabulary'"),
    (INPUT, '[spaces]\nword = "vocabulary"\nposition = ["x", "y"]\n~', "11: spaces.position", "[positions]"),
    (INPUT, '[spaces]\nword = "vocabulary"\nother = "like it"\nit = "like word"\n~', "11: spaces.other", "'it'"),
    (INPUT, '[spaces]\nword = "vocabulary"\nother = ["x"]\n[readout]\nin = "other"\n~', "13: readout.in", "'other'"),
    (MORE, 'rope = { layout = "halves" }', "13: layer.1.head.1.rope.layout", "'halves'", "'half'"),
    (MORE, 'separation = { name = "softmax", beta = 2 }', "13: layer.1.head.1.separation.beta", "'beta'", "`head`",
     "one level up"),
    (LAYER, "~\nbeta = 2", "12: layer.1.beta", "'beta'", "`head`", "one level down"),
    ('"free"', '"unit"', "8: vocabulary.words.a", "2.44949", "1 more vector", 'magnitude = "normalise"'),
    ('tokens = ["a", "b", "a"]\n[[layer]]\n[[layer.head]]', 'queries = ["b"]\n~\nmask = { name = "window", width = 2 }',
     "14: layer.1.head.1.mask", "'window'", "two texts"),
    (MORE, "rope = true\nweights = EYE", "13: layer.1.head.1.rope", "weights"),
    (MORE, "rope = true\nscores = EYE", "13: layer.1.head.1.rope", "scores"),
    (MORE, "rope = true\nquery = [[1, 0, 0, 0]]\nkey = [[1, 0, 0, 0]]", "13: layer.1.head.1.rope", "pairs", "1"),
    (MORE, "bias = [[1, 2]]", "13: layer.1.head.1.bias", "3 queries", "3 keys"),
    (MORE, 'bias = "alibi"\nweights = EYE', "13: layer.1.head.1.bias", "weights"),
    (MORE, 'separation = "identity"\nsink = 0', "14: layer.1.head.1.sink", "'identity'", "softmax"),
    (MORE, "weights = EYE\nsink = 0", "14: layer.1.head.1.sink", "weights"),
    (INPUT, '[positions]\nhow = "add"\n~', "9: positions", "turn =", "sinusoidal =", "table ="),
    (INPUT, '[positions]\nsinusoidal = false\nhow = "add"\n~', "9: positions", "turn =", "sinusoidal =", "table ="),
    (INPUT, "[positions]\nturn = 90\nsinusoidal = true\n~", "11: positions.sinusoidal", "turn"),
    (INPUT, "[positions]\nsinusoidal = true\n~", "9: positions", "[spaces]", "axes", "word"),
    (INPUT, '[positions]\nturn = 9\nhow = "ad"\n~', "11: positions.how", "'ad'", "'add'"),
    (INPUT, "[positions]\nturn = 1e300\n~", "10: positions.turn", "1e+300", "1,000,000"),
    (INPUT, '[positions]\ntable = [[1, 0]]\nhow = "add"\n~', "10: positions.table", "4 numbers", "word"),
    (INPUT, '[positions]\ntable = EYE4\nhow = "add"\nstart = 1\n~', "10: positions.table", "3 rows", "3 words"),
    (INPUT, '[positions]\ntable = [[1, 0, 0, 0]]\nhow = "add"\n~', "10: positions.table", "1 rows", "3 words"),
    (INPUT, '[positions]\ntable = EYE4\nhow = "add"\nstart = -1\n~', "12: positions.start", "below 0"),
    (TOKENS, '~\nbatch = [["a", "b", "a", "b"]]', "11: input.batch.1", "4 words", "3 tokens"),
    (TOKENS, '~\nbatch = [["a"]]', "11: input.batch.1", "padding"),
    (TOKENS, '~\nbatch = [["a", "b", "c"]]', "11: input.batch.1.3", "'c'", "a, b"),
    (TOKENS, '~\nbatch = [["a", "b", "a"]]\nqueries = ["a"]', "11: input.batch", "batch of queries"),
    (TOKENS, '~\npadding = "c"', "11: input.padding", "'c'", "a, b"),
    (LAYER, '[readout]\nin = "wrod"\n~', "12: readout.in", "'wrod'", "'word'"),
    (LAYER, "[readout]\nbase = 1\n~", "12: readout.base", "more than 1"),
    (INPUT, "[expect]\n~", "9: expect", "one table", "[[expect]]"),
    ("[[layer.head]]", "[layer.head]", "12: layer.1.head", "one table", "[[layer.head]]"),
    (LAYER, "~\noutput = OUTER", "12: layer.1.output", "4 numbers", "heads"),
    (LAYER, "~\noutput = [[1, 0, 0, 0]]", "12: layer.1.output", "4 rows", "1"),
    (LAYER, "~\nfeed_forward = { inner = [[1]], outer = OUTER }", "12: layer.1.feed_forward.inner", "4 numbers"),
    (LAYER, "~\nfeed_forward = { inner = EYE4, outer = OUTER }", "12: layer.1.feed_forward.outer", "3 numbers"),
    (LAYER, "~\nfeed_forward = { inner = EYE4, outer = EYE }", "12: layer.1.feed_forward.outer", "4 rows", "3"),
    (LAYER, "~\nFED, inner_bias = [1, 2] }", "12: layer.1.feed_forward.inner_bias", "1 numbers", "`inner`", "2"),
    (LAYER, "~\nFED, outer_bias = [1] }", "12: layer.1.feed_forward.outer_bias", "4 numbers", "1"),
    (LAYER, '~\nnorm = { name = "layer", gain = [1] }', "12: layer.1.norm.gain", "4 numbers", "1"),
    (LAYER, "~\nnorm_first = true", "12: layer.1.norm_first", 'norm = "layer"'),
    ("[[layer.head]]\n# more", "", "11: layer.1", "[[layer.head]]"),
    (MORE, '[[without]]\ntoken = "d"', "14: without.1.token", "'d'"),
    (MORE, '[[without]]\ntoken = "a"', "14: without.1.token", "'a'", "2 times", "a#1", "a#2"),
    (MORE, '[[without]]\ntoken = "b"\nat = "d#1"', "15: without.1.at", "'d#1'"),
    (MORE, '[[without]]\ntoken = "b"\nlayer = 2', "15: without.1.layer", "2", "last layer is 1"),
    (MORE, '[[without]]\ntoken = "b"\nlayer = 1\nhead = 2', "16: without.1.head", "2", "last head is 1"),
    (MORE, '[[without]]\npattern = "b"', "13: without.1", "memory", 'token = "b"'),
    (MORE, '[[without]]\ntoken = ["a#1", "b", "a#2"]', "14: without.1.token", "every token"),
    (MORE, '[[without]]\ntoken = "b"\n[[without]]\ntoken = "b"', "15: without.2", "'without b'", "two runs"),
    (MORE, "[[without]]", "13: without.1.token", "missing"),
    (MORE, '[[expect]]\nweight = { from = "a#1", to = "rest" }\nis = 1', "14: expect.1.weight.to", "'rest'"),
    (MORE, '[[expect]]\nwrites = ["a"]', "14: expect.1.writes", "nothing is written"),
    (MORE, '[[expect]]\nat = "C"\nnearest = "b"', "14: expect.1.at", "'C'"),
    (MORE, '[[without]]\ntoken = "bb"\n[[expect]]\nvariant = "without b"\nat = "b"\nnearest = "a"',
     "14: without.1.token", "'bb'"),
    (MORE, '[[expect]]\nat = "b"\nis = [1, 2, 0, 1]\nasked = true', "16: expect.1.asked", "[practice]"),
],
("parts of a vector", PARTS): [
    ('["1", "2", "3", "4"]\nword', '["1", "2", "3"]\nword', "12: spaces.position", "even", "3"),
    ('["1", "2", "3", "4"]\nword', '"like word"\nword', "12: spaces.position", "axes"),
    ("sinusoidal = true", "turn = 30", "12: spaces.position", "two axes", '["cos", "sin"]'),
    ("sinusoidal = true", "table = [[1], [2], [3]]", "15: positions.table", "4 numbers", "'position'"),
    ("sinusoidal = true", '~\nhow = "add"', "12: spaces.position", "how ="),
    ("[[layer]]\n[[layer.head]]\n# more",
     '[[layer]]\noutput = OUTER\n[[layer.head]]\nvalue = { from = "word", to = "word" }', "19: layer.1.head.1.value.to",
     "`output`"),
    (MORE, 'query = { from = "position", matrix = [[1, 0, 0, 0]], rotate = 1 }', "18: layer.1.head.1.query.rotate",
     "4 elements", "1"),
    (MORE, 'key = { from = "position" }', "18: layer.1.head.1.key", "4 numbers", "8"),
    ("sinusoidal = true\n[[layer]]\n[[layer.head]]\n",
     'table = EYE4\n[[layer]]\n[[layer.head]]\nquery.from = "position"\nkey = { from = "position", rotate = 1 }\n',
     "19: layer.1.head.1.key.rotate", "learned table"),
],
("practice", PRACTICE): [
    ("unit-tenths", "unit-tenth", '19: practice.vary."vocabulary.words.x"', "'unit-tenth'", "'unit-tenths'"),
    ("words.x", "words.y", '19: practice.vary."vocabulary.words.y"', "'y'", "(choices: x)"),
    ("vocabulary.words.x", "network.matrix", '19: practice.vary."network.matrix"', "(choices: activation, neurons)"),
    ('"vocabulary.words.x"', '"vocabulary.magnitude"', '19: practice.vary."vocabulary.magnitude"', "list of numbers"),
    ('"unit-tenths"', '{ name = "whole", most = 200 }', '19: practice.vary."vocabulary.words.x".most', "200", "99"),
    ('"unit-tenths"', "[[0.6, 0.8]]", '19: practice.vary."vocabulary.words.x"', "1 entry", "2"),
    ("signs-lost", "sign-lost", "17: practice.errors.1", "'sign-lost'", "'signs-lost'"),
    ('"signs-lost", ', "", "17: practice.errors", "2 entries", "3"),
    ("asked = true\n", "", "15: practice", "`asked = true`"),
    ('at = "x"\nis = [0.96]', 'at = "x"\nnearest = "x"', "15: expect.1.asked", "'asked'"),
    ("[practice]\n", '[[variant]]\nname = "v"\nset = { "practice.text" = "t" }\n~', '18: variant.1.set."practice.text"',
     "whole file"),
],
("probe", TEMPLATES["probe"]): [
    (HEADS, "heads = 3", "10: probe.heads", "3 heads", "32"),
    ("sequences = 400", "sequences = 4", "12: probe.sequences", "4", "20"),
    ("sequences = 400", "~00", "12: probe.sequences", "40000", "2000"),
    (ABOVE, "~\nlayer = 3", "18: expect.1.layer", "3", "2"),
    ('probe = "masked"\nis = "above chance"', 'step = "count"\nis = [1]', "16: expect.1.step", "'count'"),
    ("dim = 32", '~\ntraining = "no-positions"', "8: probe.layers", "random", 3),
],
("trained probe", TRAINED): [
    ('"no-positions"', '"none.npz"', "6: probe.training", "'none.npz'"),
    ('"no-positions"', '"two.npz"', "6: probe.training", "with positions", "without"),
],
("program", TEMPLATES["program"]): [
    ('keys = "tokens"', 'keys = "token"', "12: step.1.select.keys", "'token'", "'tokens'"),
    (WIDTH, 'width = "sam"', "16: step.2.width", "'sam'", "'same'"),
    (WIDTH, 'width = "tokens"', "16: step.2.width", "'tokens'", "`select`"),
    ('of = "count"', 'of = "same"', "20: step.3.map.of", "'same'", "sequence"),
    ('how = "=="', 'how = "negate"', "20: step.3.map", "'negate'", "1 operands", "2"),
    ("by = 1", 'by = "one"', "20: step.3.map", "'=='", "numbers and words"),
    ('name = "alone"', 'name = "count"', "19: step.3.name", "'count'"),
    (WIDTH, "", "14: step.2", "`select`", "`table`", "none"),
    (WIDTH, "table = { entries = { a = 1 } }", "16: step.2.table", "'b'", "otherwise"),
    (WIDTH, 'table = { entries = { a = 1, b = "x" } }', "16: step.2.table.entries", "words and numbers"),
    (WIDTH, 'aggregate = { selection = "same", values = "tokens", default = 0 }', "16: step.2.aggregate.default", "0",
     "words"),
    (WIDTH, 'aggregate = { selection = "some" }', "16: step.2.aggregate.selection", "'some'", "'same'"),
    ('queries = "tokens"', '~, query = "a"', "12: step.1.select.query", "`queries`"),
    ('queries = "tokens"', 'queries = "indices"', "12: step.1.select.queries", "numbers", "words"),
    ('["a", "b", "a", "c"]', '["a", 1, "a", "c"]', "8: input.tokens", "words and numbers"),
    ('["a", "b", "a", "c"]', "ONES", "8: input.tokens", "513", "512"),
    ('step = "count"', 'step = "cont"', "27: expect.1.step", "'cont'", "'count'"),
    ("[2, 1, 2, 1]", "[2, 1]", "28: expect.1.is", "(2,)", "(4,)"),
    ('step = "count"\nis = [2, 1, 2, 1]', 'probe = "masked"\nis = "at chance"', "27: expect.1.probe",
     "'masked accuracy'"),
],
("recurrent", TEMPLATES["recurrent"]): [
    (LOOKS, "w_input = 0\nw_context = [[0, 1], [1, 0], [1, 1]]", "23: decoder.similarity", "3 numbers",
     "w_context", "bilinear"),
    ("[vocabulary]", '[spaces]\nword = "vocabulary"\nextra = ["a"]\n~', "9: spaces.extra", "'word'"),
    ("w_hidden = 0  ", "#", "19: cell.w_hidden", "missing"),
    ("w_hidden = 0  ", "w_hidden = [[1, 0]] #", "19: cell.w_input", "identity", "1 row", "2 columns"),
    ("w_hidden = 0  ", "w_input = [[1, 0], [0, 1]]\nw_hidden = [[1, 0]] #", "21: cell.w_hidden", "2 rows", "w_input"),
    ("w_hidden = 0  ", "w_hidden = 0\nw_input = [[1, 0], [1]] #", "21: cell.w_input", "2 numbers"),
    ("w_hidden = 0  ", "w_hidden = 0\nbias = [0.1] #", "21: cell.bias", "2 numbers", "1"),
    ("start = [0, 1] ", "start = [0, 1, 0] #", "25: decoder.start", "2 numbers", "3"),
    ("w_context = [[0, 1], [1, 0]]", "w_context = [[0, 1], [1, 0], [1, 1]]", "25: decoder.start", "3 numbers", "2"),
    ('"rouge"]', '"roge"]', "24: decoder.writes.2", "'roge'", "'rouge'"),
    ("beta = 5", 'first = "roge"', "30: decoder.first", "'roge'", "'rouge'"),
    ("beta = 5", "read_out = [[1, 0]]", "30: decoder.read_out", "2 rows", "1"),
    ("beta = 5", 'similarity = { name = "additive", w_cue = [[1, 2]], w_key = [[0, 1]], v = [1, 2] }',
     "30: decoder.similarity", "v:", "(2,)", "1"),
    ("beta = 5", 'similarity = { name = "additive", w_cue = [[1]], w_key = [[0, 1]], v = [1] }',
     "30: decoder.similarity", "cues:", "(1, 2)", "1"),
    ("beta = 5", 'similarity = "bilinear"', "30: decoder.similarity", "'bilinear'", "matrix = …"),
],
("cue", TEMPLATES["cue"]): [
    ('"second"]', '"second", "third"]', "11: vocabulary.words.same", "3 numbers", "not 2", 3),
    ("neuron = [0.8, 0.6]", "neuron = [1, 1]", "18: network.neurons.neuron", "1.41421", "normalise"),
    ("[network.neurons]\nneuron = [0.8, 0.6]", "[network]", "17: network", "`neurons`, `matrix` and `rotate`", "none"),
    ("[network.neurons]\nneuron = [0.8, 0.6]", "[network]\nmatrix = [[1]]", "18: network.matrix", "2 numbers", "axis"),
    ("is = [1]", "is = [1, 2]", "22: expect.1.is", "2 numbers", "1 elements"),
    ("is = [1]  ", 'nearest = "same" #', "22: expect.1.nearest", "'same'", "2 elements", "1"),
    (NEURONS, '[[without]]\ntoken = "a"\n~', "17: without", '"attention"', '"memory"', '"cue"'),
],
("task", TEMPLATES["task"]): [
    ("[task]", '[positions]\ntable = [[1, 0]]\nhow = "add"\n~', "16: positions.table", "1 rows", "3 words"),
    ("query  =", 'threshold = { axis = "C", above = 0, then = "A", otherwise = "B" }\n~', "18: task.threshold.axis",
     "'C'", "A, B"),
    ("query  =", 'model = "n-gram" #', "15: task", "needs n"),
    ("query  =", "n = 3\nquery =", "18: task.n", "n-gram"),
    ("query  =", 'model = "n-gram"\nn = 5 #', "19: task.n", "5", "4", "3"),
    ("query  =", 'model = "n-gram"\nn = 0 #', "19: task.n", "0", "1"),
    ('every  = { words = ["A", "B"], length = 3 }', "#", "15: task", "`induction`, `example` and `every`", "none"),
    ('every  = { words = ["A", "B"], length = 3 }', "induction = { count = 1, length = 3 } #", "16: task.induction",
     "random ="),
    ('query  = "find B"', 'read = "wrod"', "18: task.read", "'wrod'", "'word'"),
    ('every  = { words = ["A", "B"], length = 3 }', "example = [] #", "16: task.example", "empty"),
    ("answer = {", "ansver = {", "17: task.ansver", "'ansver'", "'answer'"),
],
("induction", HUGE): [
    ("length = 3", "length = 1", "8: task.induction.length", "1", "2"),
    ("word = { random = 8 }", 'word = ["a"]', "8: task.induction", "random ="),
    ("[task]", 'sort = ["a", "b"]\n[task]\nread = "sort"', "9: task.read", "induction", "'sort'"),
],
("answers of a task", TASK): [
    ('at = "run", answer = "noun"', 'at = "run", answer = "nuon"', "14: task.example.1.answer", "'nuon'", "'noun'"),
    ('at = "run", answer = "noun"', 'at = "run", answer = "run"', "14: task.example.1.answer", "'run'", "noun, verb"),
    ('at = "run#1"', 'at = "run"', "15: task.example.2.at", "'run'", "2 times", "run#1", "run#2"),
    ('at = "run#1"', 'at = "far"', "15: task.example.2.at", "'far'", "does not occur", "to#1"),
    ('at = "run#1"', 'at = "fra"', "15: task.example.2.at", "'fra'", "run#1"),
    ('read = "sort"', '~\nquery = "to"', "15: task.example.1.at", "'to'", 3),
    ('read = "sort"', 'read = "position"', "12: task.read", "'position'"),
],
("simulation", SIMULATION): [
    (OF_THEORY, '{ name = "largest_margin", load = 2.5, dim = 20 }\ntheory = "gardner_margin"', "7: simulation.theory",
     "above 2"),
    (OF_THEORY, '{ name = "denoised", predictor = "softmax", NOISY }\ntheory = "linear_denoising_error"',
     "7: simulation.theory", "'linear'", "'softmax'"),
    ('theory = "separable_share"', 'theory = "gardner_margin"', "7: simulation.theory", "'gardner_margin'"),
    ('theory = "separable_share"', 'theory = "separable_shape"', "7: simulation.theory", "'separable_shape'"),
    (OF_THEORY, '["learnable", 36]\ntheory = "separable_share"', "6: simulation.of", "an array", "a name or a table"),
    ("points = 36, ", "", "6: simulation.of.points", "missing"),
    ("points = 36", "points = 900", "6: simulation.of.points", "900", "200"),
    ('measure = "learned"', 'measure = "theory"', "8: simulation.measure", "'theory'"),
],
("translation", TEMPLATES["translation"]): [
    ('words = ["kediler", "uyur"', 'words = ["kedilr", "uyur"', "27: writing.words.1", "'kedilr'", "'kediler'"),
    ('words = ["kediler", "uyur"', 'words = ["kediler", "kediler", "uyur"', "27: writing.words", "'kediler'"),
    ('start = "."', 'start = ","', "28: writing.start", "','"),
    ('end   = "."', 'end   = "cats"', "29: writing.end", "'cats'", "kediler, uyur"),
    ('read  = "next"', 'read  = "nxt"', "30: writing.read", "'nxt'", "'next'"),
    ('read  = "next"', 'read  = "position"', "30: writing.read", "'position'"),
    ('read  = "next"', "~\nlimit = 101", "31: writing.limit", "101", "100"),
    ('tokens = ["cats"', 'tokens = ["cat"', "24: input.tokens.1", "'cat'", "'cats'"),
    (CROSS, "[[decoder.head]]\nmask = [[true]]\n~", "34: decoder.1.head.1.mask", "fixed number of rows"),
    (CROSS, '[[decoder.head]]\nmask = "none"\n~', "34: decoder.1.head.1.mask", "'causal', 'strict'", "window"),
    ('to = "next" }', 'to = "position" }', "36: decoder.1.cross.head.1.value.to", "'position'", "'word'"),
    ("beta  = 5", "weights = [[1, 1, 1]]", "37: decoder.1.cross.head.1.weights", "fixed number of rows"),
    ("beta  = 5", 'mask = "causal"', "37: decoder.1.cross.head.1.mask", "'causal'", "two texts"),
    ('query = { from = "position" }', 'query = { from = "positoin" }', "34: decoder.1.cross.head.1.query.from",
     "'positoin'", "'position'"),
    ("[[decoder]]", '~\nfrom_torch = { file = "layer.npz", heads = 2 }', "33: decoder.1.from_torch", "encoder"),
    ('writes = ["kediler"', 'writes = ["kedilr"', "40: expect.1.writes.1", "'kedilr'", "'kediler'"),
    ('writes = ["kediler", "uyur", "."]', 'at = "cats"\nnearest = "cats"', "40: expect.1.at", "'cats'", "kediler"),
    ('writes = ["kediler", "uyur", "."]', 'matrix = "written"\nis = [[1]]', "41: expect.1.is", "(1, 1)", "(3,)"),
],
("walk", TEMPLATES["walk"]): [
    ('world = "torus"', "#", "7: walk", "`world`", "`graph`", "none"),
    ("size = [5, 5]", "#", "7: walk.size", "[10, 10]", "ring"),
    ("size = [5, 5]", "size = [5, 5, 5]", "9: walk.size", "[10, 10]", "ring"),
    ("size = [5, 5]", "size = [2, 5]", "9: walk.size", "rows:", "3 to 1024", "2"),
    ("size = [5, 5]", "size = [100, 100]", "9: walk.size", "10000", "1024"),
    ('"torus"', '"line"', "9: walk.size", "[10]"),
    ("noise = 0", "noise = -1", "14: walk.noise", "-1", "0"),
    ("planes = 12", "planes = 97", "12: walk.planes", "0 to 96", "97"),
    ("beta = 50", "angles = { east = [72, 0], north = [0, 72] }", "12: walk.planes", "`angles`"),
    ("planes = 12", "angles = { east = [72], up = [90] }", "12: walk.angles", "'up'", "east, north, south, west"),
    ("planes = 12", "angles = { east = [72] }", "12: walk.angles", "'north'", "inverse"),
    ("planes = 12", "angles = { east = [72, 0], north = [0, 80] }", "12: walk.angles", "'row 3, column 1'", "360°/5"),
    ("planes = 12", "angles = { east = [72, 0], north = [0, 360] }", "12: walk.angles", "same position"),
    ("steps = 400", "steps = 6000", "11: walk.steps", "6,000", "36,000,000"),
    ("noise = 0", 'noise = 16\n[[expect]]\nmeasure = "stray weight"\nis = 0', "16: expect.1.measure", "'stray weight'"),
],
("graph", GRAPH): [
    ("steps = 20", "size = [3]\n~", "6: walk.size", "`world`"),
    (', over = "over"', "", "10: walk.graph.inverse", "'over'", "inverse"),
    ('["b", "over", "c"]', '["d", "over", "c"]', "9: walk.graph.edges", "'d'", "'a'"),
    ('["b", "over"', '["a", "go", "c"], ~', "9: walk.graph.edges", "'go'", "'a'", "'b'"),
    ("angles = { go = [90, 0], over = [0, 180] }\n", "", "5: walk.planes", "a graph", "`angles`", "planes = 0"),
    ("[0, 180]", "[0, 90]", "7: walk.angles", "'b'", "two positions", "'over'", "'c'"),
    ("[0, 180]", "[0]", "7: walk.angles", "'over'", "(1,)"),
],
("PyTorch's layer", TORCH): [
    ("layer.npz", "layr.npz", "10: layer.1.from_torch", "'layr.npz'"),
    ("layer.npz", "layer.pt", "10: layer.1.from_torch", "'layer.pt'", ".npz", ".safetensors"),
    ("layer.npz", "torn.npz", "10: layer.1.from_torch", "missing", "norm1.weight"),
    ("layer.npz", "other.npz", "10: layer.1.from_torch", "linear1.bias:", "(3,)"),
    (HEADS, "heads = 3", "10: layer.1.from_torch", "3 heads", "4"),
    (', "d"]', "]", "11: layer.1.from_torch.file", "4 elements", "3"),
    (LAYER, '~\nnorm = "rms"', "10: layer.1.norm", "`from_torch`"),
    (HEADS, "~\nmask = [[true]]", "13: layer.1.from_torch.mask", "3 queries", "3 keys"),
    ("tokens =", 'queries = ["a"]\n~', "11: layer.1.from_torch", "one text"),
    (HEADS, '~\nprefix = "layers.2"', "10: layer.1.from_torch", "'layers.2.'"),
],
}
# fmt: on
"""For the name and the text of a scenario: what is replaced (~ is what was there), by what, the place, the words, and
the number of messages if there are several."""


def whole(text):
    """A text with the keys that every scenario has."""
    return text if "schema = 1" in text else f'schema = 1\ntitle = "t"\nsource = "ours"\n{text}'


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A folder with the files that the rows name."""
    folder = tmp_path_factory.mktemp("files")
    Image.new("L", (3, 1)).save(folder / "cat.png")
    (folder / "a.csv").write_text("1,2")
    (folder / "layer.pt").write_bytes(b"")
    layer = dict(np.load(shipped_folder() / "at6" / "torch-encoder-layer.npz"))
    for name, change in (("layer", {}), ("torn", {"norm1.weight": None}), ("other", {"linear1.bias": np.ones(3)})):
        np.savez(folder / name, **{key: array for key, array in (layer | change).items() if array is not None})
    (folder / "two.npz").write_bytes((shipped_folder() / "circuits" / "two-layers.npz").read_bytes())
    return folder


@pytest.mark.parametrize(
    ("text", "row"),
    [pytest.param(text, row, id=f"{name}: {row[1]}") for (name, text), rows in ROWS.items() for row in rows],
)
def test_a_mistake_is_one_message_with_its_line_its_key_and_what_helps(text, row, files, monkeypatch):
    monkeypatch.chdir(files)
    old, new, place, *words = row
    number = words.pop() if isinstance(words[-1], int) else 1
    for short, long in SHORT.items():
        new = new.replace(short, long)
    assert old in text
    messages = problems(whole(text.replace(old, new.replace("~", old), 1)))
    assert len(messages) == number
    assert_says(messages, f"file.toml:{place}:", *words)


TOO_LARGE = TEXT.replace("[1, 2, 0, 1]", "[1e200, 0, 0, 1]").replace(MORE, 'separation = "identity"')
IN_A_BALL = (
    'seed = 1\nkind = "memory"\n'
    'vocabulary = { axes = ["x", "y"], magnitude = "free", words = { plain = [0.6, 0.8], odd = [0, 0] } }\n'
    'memory = { patterns = ["plain", "odd"], activation = "unit" }\n'
    'cue.torn = { of = "plain", noise = 1e-9 }\n'
)
STEEP = {"vocabulary.magnitude": "free", "uyur": [0, 0, 1e300], "decoder.cross.head.value.scale": 1e300}
SIMULATED = SIMULATION.replace(OF_THEORY, '{{ name = "{name}", {options} }}')
TOGETHER = [  # arguments that do not go together
    ("largest_margin", "load = 0.01, dim = 20", "load", "0.01", "0.05"),
    ("diluted_overlap", "neurons = 9, patterns = 2, empty = 0.4, which = 3", "which", "3", "2"),
    ("sdm_reading", "distance = 9, bits = 8, radius = 3, locations = 9, words = 2", "distance", "9", "8"),
]


@pytest.mark.parametrize(
    ("text", "options", "place", "words"),
    [
        (TOO_LARGE, {}, "file.toml:11: layer: the numbers", ["layer 1 head 1 scores", "'a' holds 1e+200"]),
        (IN_A_BALL, {"rng": 0}, "file.toml:8: cue.torn.noise: 'torn'", ["magnitude 1"]),
        (TEMPLATES["translation"], {"overrides": STEEP}, "file.toml:32:", ["finite scores"]),
        (TEMPLATES["memory_circuit"], {"overrides": {"circuit.length": 2}}, "--set circuit.length: no", ["2 words"]),
        (GOOD, {"rng": -1}, "rng", ["0"]),
        (GOOD, {"overrides": {"separation": "softmx"}}, "--set separation", ["'softmx'", "'softmax'"]),
        (GOOD, {"overrides": {"expect.1.at": "nope"}}, "--set expect.1.at", ["'nope'"]),
        (GOOD, {"overrides": {"layr": 1}}, "--set layr", ["'layr'", "'layer'"]),
        *((SIMULATED.format(name=name, options=options), {}, f"file.toml:6: simulation.of.{place}", words)
          for name, options, place, *words in TOGETHER),
    ],
)  # fmt: skip
def test_what_a_run_refuses_has_a_place_too(text, options, place, words):
    refused(lambda: ha.run(parsed(whole(text)), **options), place, *words)


@pytest.mark.parametrize("name", ["sink", "null-pattern"])
def test_the_page_to_play_with_says_that_it_has_no_sink(name):
    refused(lambda: ha.explore(name), "", "has no sink")


def test_what_is_no_scenario_is_refused_with_the_nearest():
    refused(lambda: ha.run(3), "", "3")
    refused(lambda: ha.run("similarty"), "", "'similarty'", "'similarity'")
    for arrays in (result_of("bank").arrays, result_of("bank").runs[0].arrays):
        refused(lambda arrays=arrays: arrays["layer 1 outptu"], "arrays", "'layer 1 outptu'", "'layer 1 output'")
        assert arrays.get("layer 1 outptu") is None
