"""What is refused in a scenario file: the line, the key, and the words without which a message would not help."""

import pytest

from hopattn.scenario.kinds import kinds
from tests.refusal import assert_says, problems
from tests.scenario import scenarios_of_kinds
from tests.texts import GOOD, HUGE

TURNED = '[spaces]\nword = "vocabulary"\nposition = ["cos", "sin"]\n[positions]\nturn = 90\n[input]'
TURNING = GOOD.replace("[input]", TURNED)
UNWEIGHED = scenarios_of_kinds.ATTENDED.partition("weights")[0]
STEP = '{ name = "hopfield", activation = "step" }\nsort = "binary"'
TEXTS = {name.upper(): kinds[name].template() for name in ("cache", "messages", "recurrent")} | vars(scenarios_of_kinds)
TEXTS |= {"GOOD": GOOD, "HUGE": HUGE, "TURNING": TURNING, "UNWEIGHED": UNWEIGHED}
TEXTS |= {
    "FROM_PARTS": TURNING.replace('mask = "causal"', 'value = { from = "word", to = "position" }'),
    "ONE_WORD": UNWEIGHED.replace(', "b", "a#1", "b"]', "]"),
    "TWO_WORDS": UNWEIGHED.replace(', "a#1", "b"]', "]"),
    "CROSSED": UNWEIGHED.replace("[input]", '[input]\nqueries = ["b"]'),
    "UNCUED": TEXTS["CUES"].partition("[cue.bad]")[0],
    "SILENT": TEXTS["ENSEMBLE"].replace('"hopfield"', STEP),
}
TABLE = r"""
= GOOD
schema = 1 → schema = 2 | 1: schema | 2 is unknown | schema = 1
→ schema = true | 1: schema | true is unknown
→ | 1: schema | is missing | schema = 1
kind = "attention" → kind = "atention" | 4: kind | 'atention' is unknown | 'attention'?
→ kind = 3 | 4: kind | '3' is unknown
→ | 1: 'kind' is missing | (choices: attention, cache, cue, emergence
→ knd = "attention" | 4: knd | 'kind' is missing | 'knd'?
title = "a title" → title = 3 | 2: title | got 3 | a text
→ title = "" | 2: title | is empty
→ title = 1979-05-27 | 2: title | got 1979-05-27 | a text
source = "ours" → source = "" | 3: source | is empty
→ sorce = "ours" | 3: sorce | 'sorce' is unknown | 'source'?
[vocabulary] → [spaces]⏎wrod = "vocabulary"⏎… | 5: spaces | no part "word"
→ [spaces]⏎word = "like wrd"⏎… | 6: spaces.word | 'wrd' is unknown | 'word'?
→ [spaces]⏎word = "x"⏎… | 6: spaces.word | 'x' | axes | random
axes = ["x", "y"] → axes = ["x", "x"] | 6: vocabulary.axes | 'x' is given 2 times
→ …⏎magnitude = 5 | 7: vocabulary.magnitude | '5' is unknown
a = [1, 0] → a = [1, 0, 0] | 8: vocabulary.words.a | 2 numbers, one for each axis (x, y), not 3
→ a = [1, 1] | 8: vocabulary.words.a | 1.41421 | expected 1 | normalise | free
→ a = [] | 8: vocabulary.words.a | is empty
→ a = [1, "0"] | 8: vocabulary.words.a.2 | '0' | a number | write 0,
→ a = [1, nan] | 8: vocabulary.words.a.2 | nan | finite
→ a = [1, true] | 8: vocabulary.words.a.2 | true | a number
→ a = 1 | 8: vocabulary.words.a | got 1 | an array
→ …⏎"a\nb" = [1, 1] | 9: vocabulary.words."a\nb" | 1.41421
[0.6, 0.8] → [0,6, 0,8] | 9: vocabulary.words.b | 2 numbers | not 4 | write 0.6 instead of 0,6
→ [-1,25, 0,8] | 9: vocabulary.words.b | write -1.25 instead of -1,25
→ [0.6, 0,8] | 9: vocabulary.words.b | 2 numbers | not 3 | write 0.8 instead of 0,8
→ [1,25, 0.8] | 9: vocabulary.words.b | write 1.25 instead of 1,25
→ ["0,6", 0.8] | 9: vocabulary.words.b.1 | '0,6' | a number | write 0.6, without quotes
→ ["−0,60", 0.8] | 9: vocabulary.words.b.1 | write -0.60, without quotes
→ "0.6" | 9: vocabulary.words.b | '0.6' | an array | write [0.6], without quotes
[input] → [imput] | 10: imput | 'imput' is unknown | 'input'?
→ [positions]⏎turn = 90⏎… | 10: positions | needs [spaces] | position = ["cos", "sin"]
→ [cache]⏎up_to = 4⏎… | 10: cache | kind = "cache" | kind = "attention"
→ [writing]⏎… | 10: writing | kind = "translation" | kind = "attention"
["a", "b", "a"] → [] | 11: input.tokens | is empty
→ "a b a" | 11: input.tokens | 'a b a' | write ["a", "b", "a"]
"softmax" → "softmx" | 14: layer.1.head.1.separation | 'softmx' is unknown | 'softmax'?
→ { name = "powr" } | 14: layer.1.head.1.separation | 'powr' is unknown | 'power'?
→ { name = "power", n = 1 } | 14: layer.1.head.1.separation: n | from 2 to 1000 | not 1
→ { name = "power", m = 2 } | 14: layer.1.head.1.separation.m | 'm' is unknown | n, name
→ { name = "power", n = "3" } | 14: layer.1.head.1.separation.n | '3' | write 3, without quotes
→ { name = ["softmax"] } | 14: layer.1.head.1.separation | an array | a name
→ 3 | 14: layer.1.head.1.separation | got 3 | a text or a table
mask = "causal" → mask = "casual" | 15: layer.1.head.1.mask | 'casual' is unknown | 'causal'?
→ mask = [[true]] | 15: layer.1.head.1.mask | 3 queries and 3 keys
→ mask = [[true], [true, false]] | 15: layer.1.head.1.mask | 3 queries and 3 keys
→ mask = { name = "window", width = 0 } | 15: layer.1.head.1.mask | window | at least 1 | not 0
→ beta = -1 | 15: layer.1.head.1.beta | got -1 | more than 0
→ beta = nan | 15: layer.1.head.1.beta | nan | finite
→ beta = "0,5" | 15: layer.1.head.1.beta | '0,5' | "1/sqrt(dim)" | write 0.5, without quotes
→ base = 1 | 15: layer.1.head.1.base | got 1 | more than 1
→ base = 3⏎beta = 2 | 15: layer.1.head.1.base | beta and base
→ key = [[1, 0, 0]] | 15: layer.1.head.1.key | 2 numbers
→ key = [[1, 0]] | 15: layer.1.head.1.key | 1 numbers | the query gives 2
→ key = [[1, 0], [0,5, 0,5]] | 15: layer.1.head.1.key | write 0.5 instead of 0,5
→ key = { from = "wrod" } | 15: layer.1.head.1.key.from | 'wrod' is unknown | 'word'?
→ key = { rotate = 1 } | 15: layer.1.head.1.key.rotate | from = "position"
→ key = { to = "word" } | 15: layer.1.head.1.key.to | only a value has `to`
→ value = [[1, 0]] | 15: layer.1.head.1.value | has 1 number | `output`, a matrix (2, 1) | residual = false
→ scores = [[1]] | 15: layer.1.head.1.scores | 3 queries and 3 keys
→ scores = [[0,1, 0,2, 0,3]] | 15: layer.1.head.1.scores | write 0.1 instead of 0,1
→ weights = [[1]] | 15: layer.1.head.1.weights | 3 queries and 3 keys
at = "b" → at = "c" | 17: expect.1.at | 'c' is unknown | (choices: a#1, a#2, b)
→ at = "a" | 17: expect.1.at | 'a' occurs 2 times | a#1 or a#2
nearest = "b" → nearest = "c" | 18: expect.1.nearest | 'c' is unknown | (choices: a, b)
→ neerest = "b" | 18: expect.1.neerest | 'neerest' is unknown | 'nearest'?
→ | 16: expect.1 | nothing that can be checked | answers, closer_to | writes
→ is = [1] | 18: expect.1.is | 1 numbers | 2 elements
→ is = [1,0, 0,5] | 18: expect.1.is | 4 numbers | write 1.0 instead of 1,0
→ is = [0.6, 0.8]⏎stated = [0,6, 0,8] | 19: expect.1.stated | (4,) | (2,) | write 0.6 instead of 0,6
→ …⏎in = "wrod" | 19: expect.1.in | 'wrod' is unknown | 'word'?
→ …⏎layer = 2 | 19: expect.1.layer | no such layer | layer 1 state
→ …⏎variant = "v" | 19: expect.1.variant | 'v' is unknown | nothing to choose from
→ closer_to = "b" | 16: expect.1 | `than = "word"` | `than_before = true`
→ closer_to = "b"⏎than_before = false | 19: expect.1.than_before | got false | expected true
→ cosine_to = "b"⏎is = 1⏎erratum = "why" | 20: expect.1.erratum | `stated`
→ cosine_to = "b"⏎is = 1⏎within = "1e-3" | 20: expect.1.within | '1e-3' | write 1e-3, without quotes
at = "b"⏎nearest = "b" → matrix = "weigths"⏎is = [[1]] | 17: expect.1.matrix | 'weigths' | 'weights'?
→ matrix = "weights"⏎is = [[1]] | 18: expect.1.is | (1, 1) | (3, 3)
→ matrix = "weights"⏎is = [[1], [1, 2]] | 18: expect.1.is | (2, -1) | (3, 3)
→ matrix = "state"⏎is = [[0.1, 0.2], [0,3, 0,4], [0.5, 0.6]] | 18: expect.1.is | write 0.3 instead of 0,3
→ weight = { from = "a", to = "b" }⏎is = 1 | 17: expect.1.weight.from | 'a' occurs 2 times | a#1 or a#2
→ measure = "accuracy"⏎is = 1 | 17: expect.1.measure | 'accuracy' is unknown | no measures
[[expect]] → [[variant]]⏎name = "v"⏎set = { }⏎… | 18: variant.1.set | is empty
→ [[variant]]⏎name = "v"⏎set = { "layer.head.mask" = "no" }⏎… | 18: variant.1.set."layer.head.mask" | 'none'?
→ [[variant]]⏎name = "v"⏎set = { "layr.mask" = "none" }⏎… | 18: variant.1.set: layr.mask | 'layr' | 'layer'?
+ [[variant]]⏎name = "v"⏎set = { "vocabulary.words" = { a = [1, 0] } } | 19: variant.1: input.tokens.2 | 'b' is unknown
+ [[variant]]⏎name = "v"⏎set = { title = "w" } | 21: variant.1.set.title | to the whole file
+ [[variant]]⏎name = "v"⏎set = { "expect.1.at" = "w" } | 21: variant.1.set."expect.1.at" | to the whole file
+ [[variant]]⏎name = "v"⏎set = { kind = "w" } | 21: variant.1.set.kind | to the whole file
= HUGE
random = 8 → random = 100000 | 7: task | 1 sequences | would take about | GiB; a scenario may take 1 GiB
→ random = 900000000000 | 7: task | 1 sequences | would take about
→ random = 900000000000 }⏎previous = "like word"⏎q = { random = 1 | 9: task | 1 sequences | GiB
count = 1 → …000000000 | 7: task | 1,000,000,000 sequences | 4 words | 239 GiB
length = 3 → length = 100000 | 7: task | GiB; a scenario may take 1 GiB
→ length = "2,5" | 8: task.induction.length | '2,5' | a whole number
= TURNING
turn = 90 → turn = "90" | 14: positions.turn | '90' | write 90, without quotes
= FROM_PARTS
from = → form = | 20: layer.1.head.1.value.form | 'form' is unknown | 'from'?
= MESSAGES
["bat", "cave#2"] → ["bat", "bat", "cave#2"] | 17: graph.edges.2 | 3 words | two words
→ ["bat"] | 17: graph.edges.2 | 1 word; | two words
= RECURRENT
w_input = 0  → w_input = "0"  | 26: decoder.w_input | '0' | a number or an array | write 0, without quotes
= CACHE
[[layer.head]] → …⏎mask = "none" | 19: layer.1.head.1.mask | 'none' | "causal" | "strict" | window
→ …⏎mask = "nonzero" | 19: layer.1.head.1.mask | 'nonzero' does not fit a text that grows
→ …⏎mask = [[true]] | 19: layer.1.head.1.mask | 4 queries and 4 keys
→ …⏎scores = [[0,0,0,0], [0,0,0,0], [0,0,0,0], [0,0,0,0]] | 17: layer.1 | 'fixed_scores' | one length
up_to = 64 → up_to = 1 | 21: cache.up_to | got 1 | at least 2
→ up_to = 2_000_000_000 | 21: cache.up_to | got 2000000000 | at most 1,073,741,824
[input] → …⏎padding = "A" | 15: input.padding | only kind 'attention'
= CUES
of = "half" → | 13: cue.bad | `of`, `state` and `mixture`; none is given
→ …⏎mixture = ["up", "half"] | 13: cue.bad | `of` and `mixture` are given
→ of = "hlf" | 14: cue.bad.of | 'hlf' is unknown | 'half'? | (choices: half, up)
["up", "half"]⏎noise → ["up", "hlf"]⏎noise | 17: cue.worse.mixture.2 | 'hlf' is unknown | 'half'?
→ ["up"]⏎noise | 17: cue.worse.mixture | 1 entry | at least 2
flip = 0.25 → flip = 1.5 | 15: cue.bad.flip | got 1.5 | at most 1 | write 0.015 for 1.5 %
→ flip = nan | 15: cue.bad.flip | nan
→ hide = "left" | 15: cue.bad.hide | only a picture has a left | 0.5
→ hide = "lft" | 15: cue.bad.hide | 'lft' is unknown | 'left'?
→ hide = true | 15: cue.bad.hide | true | a text or a number
noise = 0.5 → noise = 0 | 18: cue.worse.noise | got 0 | more than 0
→ [input]⏎tokens = ["bda"] | 19: input.tokens.1 | 'bda' is unknown | 'bad'?
[memory] → …⏎activation = "sign" | 19: cue.worse.noise | 'worse' holds  | 0 for unknown; use `flip`
[cue.bad] → [cue.up] | 13: cue.up | 'up' is a word already
["up", "half"]⏎[cue → ["up", "bad"]⏎[cue | 12: memory.patterns.2 | 'bad' is a damaged cue
= UNCUED
+ | 1: needs cues | [input] with tokens | [cue.name]
= ENSEMBLE
load = 0.05 → | 5: ensemble | `patterns`, `load` and `exponent`; none is given
→ …⏎patterns = 3 | 5: ensemble | `patterns` and `load` are given
→ load = -1 | 7: ensemble.load | got -1 | more than 0
→ load = 1.7e308 | 1: would take about | GiB
neurons = 100 → | 5: ensemble | `neurons` and `file`; none is given
→ neurons = 0 | 6: ensemble.neurons | got 0 | at least 1
→ …0000 | 1: would take about | 8,196 GiB
"hopfield" → "hopfeld" | 8: ensemble.model | 'hopfeld' is unknown | 'hopfield'?
→ "sdm" | 8: ensemble.model | write { name = "sdm", radius = … }
→ "bam" | 8: ensemble.model | 'bam' needs values
→ { name = "hopfield", activation = "step" } | 5: ensemble.sort | "step" | write sort = "binary"
→ "modern"⏎sort = "unit"⏎bits = true | 10: ensemble.bits | not -1 and 1
+ flip = 2 | 9: ensemble.flip | got 2 | at most 1 | write 0.02 for 2 %
+ flip = 0.1⏎flips = [0.1] | 9: ensemble.flip | `flips` is given too
+ noise = 0.1 | 9: ensemble.noise | a cue holds | 0 for unknown; use `flip`
+ correlation = 1 | 9: ensemble.correlation | at 1 all patterns are one
+ update = "graded" | 9: ensemble.update | graded | inverse | 'sign'
+ beta = 2 | 9: ensemble.beta | a part of the model 'hopfield'
+ burn_in = 5 | 9: ensemble.burn_in | 'async' converges | "glauber"
+ burn_in = 100 | 9: ensemble.burn_in | 100 of 100 sweeps | `max_steps`
+ burn_in = -1 | 9: ensemble.burn_in | got -1 | at least 0
+ activity = 0.1⏎sort = "unit" | 9: ensemble.activity | directions have none
+ activity = 1.5 | 9: ensemble.activity | got 1.5 | less than 1 | write 0.015 for 1.5 %
+ activity = 0.1⏎correlation = 0.2 | 10: ensemble.correlation | 0.5 | directions
+ sort = "binary" | 5: ensemble: patterns | row 0 holds 0 | −1 or 1
+ weights = true | 9: ensemble.weights | does not give each pattern a weight
+ array = "mine" | 9: ensemble.array | `file`, and none is given
neurons = 100⏎ → file = "none.csv"⏎ | 6: ensemble.file | none.csv | there is no file
→ file = "a.csv"⏎array = "x"⏎ | 7: ensemble.array | .npz and .safetensors | a .csv holds one array
= SILENT
+ burn_in = 5 | 10: ensemble.burn_in | is for spins
+ crosstalk = true | 10: ensemble.crosstalk | -1 and 1 | directions
= FAST_WEIGHTS
+ rate = 0.5 | 15: fast_weights.rate | rule = "delta"
+ rule = "delta"⏎rate = 2 | 16: fast_weights.rate | got 2 | less than 2
+ normalise = true | 15: fast_weights.normalise | 'identity' may be negative | 'relu' or 'elu'
+ features = "elo" | 15: fast_weights.features | 'elo' is unknown | 'elu'?
+ features = { name = "random_features", n = 0 } | 15: fast_weights.features: n | at least 1 | not 0
+ features = { name = "random_features", n = 100000 } | 15: fast_weights.features.n | 100,000 | at most 65,536
+ rule = "some" | 15: fast_weights.rule | 'some' is unknown | (choices: delta, sum)
+ key = [[1, 0]] | 15: fast_weights.key | 1 numbers | the query gives 2
+ value = [[1]] | 15: fast_weights.value | 2 numbers
+ key = { from = "nowhere" } | 15: fast_weights.key.from | 'nowhere' is unknown
+ features = { name = "random_features", n = 2000000 } | 13: input.tokens | 4 words | 2 GiB
["a", "b", "c", "a"] → ["a", "b", "d", "a"] | 13: input.tokens.3 | 'd' is unknown
→ ["a"]⏎padding = "a" | 14: input.padding | only kind 'attention'
= FORGETTING
lengths = [0, 3, 20] → | 5: forgetting.lengths | is missing
→ lengths = [3, 0] | 10: forgetting.lengths | 0 comes after 3 | rising
→ lengths = "0:1:3" | 10: forgetting.lengths | 0.5 | whole numbers from 0 up
→ lengths = [-1, 3] | 10: forgetting.lengths.1 | -1 | at least 0
→ lengths = "-1:3:3" | 10: forgetting.lengths | -1 | whole numbers from 0 up
→ lengths = [0.5] | 10: forgetting.lengths.1 | 0.5 | a whole number
→ lengths = [1000000] | 5: forgetting: would take about 74 GiB | 1 GiB
carry = 0.8 → carry = 1.1 | 7: forgetting.carry | 1.1 | at most 1
beta = 3 → beta = -1 | 8: forgetting.beta | -1 | at least 0
names = 8 → names = 1 | 9: forgetting.names | got 1 | at least 2
trials = 50 → trials = 1 | 11: forgetting.trials | got 1 | at least 2
dim = 32 → dim = 1000 | 6: forgetting.dim | 1000 | at most 512
= GRADIENTS
+ scores = [1] | 7: gradients.scores | 1 entry | at least 2
+ scores = [1, 0]⏎draws = 3 | 8: gradients.draws | random scores | `scores`
+ scores = [1, 0]⏎n_scores = 3 | 8: gradients.n_scores | random scores | `scores`
+ n_scores = 1 | 7: gradients.n_scores | got 1 | at least 2
+ size = "spectrl" | 7: gradients.size | 'spectrl' is unknown | 'spectral'?
+ beta = 0 | 7: gradients.beta | got 0 | more than 0
+ stack = { dim = 12 } | 7: gradients.stack.dim | not 12 | a multiple of 8
+ stack = { layers = 101 } | 7: gradients.stack.layers | 101 | at most 100
+ stack = { layers = 100, draws = 3 } | 7: gradients.stack | layers × draws × dim = 9,600 | 4,800
+ n_scores = 1000000 | 5: gradients: would take about 7,450,581 GiB | 1 GiB
magnitudes = [1, 4, 0.5] → | 5: gradients | `magnitudes`, [gradients.stack], or both; none is given
→ draws = 3⏎stack = {} | 6: gradients.draws | not used without `magnitudes`
→ magnitudes = [1, 4, 1] | 6: gradients.magnitudes | 1 is given 2 times
→ magnitudes = [1, -4] | 6: gradients.magnitudes.2 | -4 | more than 0
→ scores = [1, 0]⏎magnitudes = "1,2,5"⏎stack = {} | 7: gradients.magnitudes | '1,2,5' | an array
= UNWEIGHED
+ [[expect]]⏎score = "prefix match"⏎is = 1 | 15: expect.1.score | 'prefix match' | 'prefix matching'?
+ [[expect]]⏎score = "attention sink"⏎layer = 2⏎is = 1 | 15: expect.1.score | no such layer or head
+ [[expect]]⏎scor = "attention sink"⏎is = 1 | 15: expect.1.scor | 'scor' is unknown | 'score'?
= ONE_WORD
+ [[expect]]⏎score = "previous token"⏎is = 1 | 15: expect.1.score | at least two words
= TWO_WORDS
+ [[expect]]⏎score = "prefix matching"⏎is = 1 | 15: expect.1.score | occurs twice
= CROSSED
+ [[expect]]⏎score = "attention sink"⏎is = 1 | 16: expect.1.score | they attend to others
= MAGNET
curie_weiss = 20 → | 5: ising | `couplings` | `patterns` | `curie_weiss` | none is given
→ …⏎patterns = [[1, 1]] | 5: ising | `patterns` and `curie_weiss` are given
→ …⏎bias = [1] | 7: ising.bias | `couplings`, and `curie_weiss` is given
→ …⏎model = "dense" | 7: ising.model | `patterns`, and `curie_weiss` is given
→ curie_weiss = 100000 | 7: ising.temperatures | 100,001 sums at 109 temperatures | at most 10,000,000
→ sweeps = 5⏎curie_weiss = 200 | 6: ising.sweeps | 200 spins | at most 128
→ sweeps = 5000⏎… | 6: ising.sweeps | 5020 sweeps of 20 spins | 10,040,000 | 3,000,000
→ …⏎chains = 1 | 7: ising.chains | got 1 | at least 2
[0.5, 2] → [1, 1e301] | 7: ising.temperatures | 1e+301 is too large | at most 1e+300
→ [0.5, 0] | 7: ising.temperatures.2 | got 0 | more than 0
→ [-1] | 7: ising.temperatures.1 | got -1 | more than 0
+ [[expect]]⏎measure = "deviation"⏎is = 0 | 9: expect.1.measure | 'deviation' is unknown
= COUPLED
[0.5, 2] → [1e-300] | 7: ising.temperatures | 1e-300 is too small | an energy of 2 | at least 2e-300
→ [1]⏎bias = [1, 2] | 8: ising.bias | (2,) | 3 neurons
[0, -1, 0]] → [0, -1, 0, 1]] | 6: ising.couplings.3 | 4 numbers | 3 spins
→ [0, 1, 0]] | 6: ising.couplings | no energy | not symmetric
= PATTERNS
[[1, 1, -1] → [[1, 0, -1] | 6: ising.patterns | row 0 holds 0 | −1 or 1
→ [[1, -1] | 6: ising.patterns.2 | 3 numbers | 2 spins
[[1, 1, -1], [1, -1, 1]] → [[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]] | 6: ising.patterns | 17 spins | 2^17 | at most 16
+ model = "modern" | 6: ising.patterns | 'identity' gives no spins
+ model = "sequence" | 6: ising.patterns | no energy
+ model = "densse" | 8: ising.model | 'densse' is unknown | 'dense'?
+ model = "bam" | 8: ising.model | 'bam' needs right | kind = "memory"
+ model = "input_driven" | 8: ising.model | 'input_driven' needs input | kind = "memory"
= LANDSCAPE
[states] → | 1: needs [states], [returns] or [fixed_points] |
→ …⏎updates = ["sync", "sync"] | 10: states.updates | 'sync' is given 2 times
→ …⏎updates = ["synk"] | 10: states.updates.1 | 'synk' is unknown | 'sync'?
→ [returns]⏎damage = [0.2, 0.1] | 10: returns.damage | 0.1 comes after 0.2 | rising
→ [returns]⏎damage = [0, 2] | 10: returns.damage | from 0 to 1, not 2
→ [returns]⏎damage = [-1, 0] | 10: returns.damage | got -1 | from 0 up
→ [returns]⏎loads = [0, 1] | 10: returns.loads | got 0 | above 0
→ [fixed_points]⏎beta = [1] | 9: fixed_points | graded states | spins; write [states]
→ …⏎[pictures]⏎letters = "A" | 10: pictures | [memory] | [ensemble]
→ …⏎[vocabulary]⏎axes = ["x"]⏎words = {a = [1]} | 10: vocabulary | [memory] | [ensemble]
[ensemble] → [memory]⏎patterns = ['a']⏎… | 1: needs one of `memory` and `ensemble` |
patterns = 3⏎ → | 5: ensemble | `patterns`, `load` and `exponent`; none is given
neurons = 8 → neurons = 21 | 9: states | 21 spins have 2^21 states | at most 20 | write [returns]
"hopfield" → "hopfeld" | 8: ensemble.model | 'hopfeld' is unknown | 'hopfield'?
→ "modern" | 9: states | 'identity' gives no spins
= FIXED_POINTS
[fixed_points]⏎beta → [returns]⏎loads | 15: returns.loads | [ensemble]
[0.5, 1.5, 3] → [0, 1] | 15: fixed_points.beta | got 0 | above 0
patterns = ["a", "b"] → patterns = ["a", "c"] | 12: memory.patterns.2 | 'c' is unknown
"modern" → …⏎betwen = ["a", "b"] | 14: memory.betwen | 'betwen' is unknown | 'between'?
→ "linear" | 15: fixed_points.beta | 'linear' has none
"""
"""Below the name of a text, its changes: old → new | line: key | words of the message | …

→ alone: the old part is that of the row above; +: new lines behind the text. ⏎: the end of a line; …: the old part.
"""


def rows():
    name = old = ""
    for line in TABLE.strip().split("\n"):
        if line.startswith("= "):
            name = line[2:]
            continue
        change, *message = (part.strip() for part in f"{line} ".split("| "))
        before, arrow, new = (part.strip().replace("⏎", "\n") for part in change.partition("→"))
        old = before if arrow and before else old
        text = TEXTS[name]
        assert not arrow or old in text, line
        changed = text.replace(old, new.replace("…", old), 1) if arrow else f"{text}{before[2:]}\n"
        yield pytest.param(changed, *message[:1], message[1:], id=f"{name}: {change}")


@pytest.mark.parametrize(("text", "place", "words"), [*rows()])
def test_one_wrong_value_has_one_message_with_its_line_and_key(text, place, words):
    (message,) = problems(text)
    assert_says(message, f"file.toml:{place}", *words)
    assert message.removeprefix(f"file.toml:{place}")[:1] in (":", " ", ";", ","), "it names a part of this place"
