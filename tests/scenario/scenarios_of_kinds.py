"""Small scenarios, one of a kind each, of which tests and the table of messages are changes."""


def scenario(kind, body):
    """The text of a scenario; its body begins on line 5."""
    return f'schema = 1\ntitle = "t"\nsource = "ours"\nkind = "{kind}"\n{body}'


CUES = scenario(
    "memory",
    """[vocabulary]
axes = ["1", "2", "3", "4", "5", "6", "7", "8"]
magnitude = "free"
[vocabulary.words]
up   = [1, 1, 1, 1, 1, 1, 1, 1]
half = [1, 1, 1, 1, -1, -1, -1, -1]
[memory]
patterns = ["up", "half"]
[cue.bad]
of = "half"
flip = 0.25
[cue.worse]
mixture = ["up", "half"]
noise = 0.5
""",
)
ENSEMBLE = scenario("ensemble", '[ensemble]\nneurons = 100\nload = 0.05\nmodel = "hopfield"\n')
FORGETTING = scenario(
    "forgetting", "[forgetting]\ndim = 32\ncarry = 0.8\nbeta = 3\nnames = 8\nlengths = [0, 3, 20]\ntrials = 50\n"
)
GRADIENTS = scenario("gradients", "[gradients]\nmagnitudes = [1, 4, 0.5]\n")
COUPLED = scenario("ising", "[ising]\ncouplings = [[0, 1, 0], [1, 0, -1], [0, -1, 0]]\ntemperatures = [0.5, 2]\n")
PATTERNS = scenario("ising", "[ising]\npatterns = [[1, 1, -1], [1, -1, 1]]\ntemperatures = [0.5, 2]\n")
MAGNET = scenario("ising", "[ising]\ncurie_weiss = 20\ntemperatures = [0.5, 2]\n")
LANDSCAPE = scenario("landscape", '[ensemble]\nneurons = 8\npatterns = 3\nmodel = "hopfield"\n[states]\n')
THREE_WORDS = """[vocabulary]
axes = ["x", "y"]
magnitude = "free"
[vocabulary.words]
a = [1, 0]
b = [0.5, 2]
c = [-1, 1]
[input]
tokens = ["a", "b", "c", "a"]
"""
FAST_WEIGHTS = scenario("fast_weights", f"{THREE_WORDS}[fast_weights]\n")
FIXED_POINTS = scenario(
    "landscape",
    """[vocabulary]
axes = ["x", "y"]
magnitude = "free"
[vocabulary.words]
a = [0.8, 0.6]
b = [-0.8, -0.6]
[memory]
patterns = ["a", "b"]
model = "modern"
[fixed_points]
beta = [0.5, 1.5, 3]
""",
)
ATTENDED = scenario(
    "attention",
    """[vocabulary]
axes = ["x", "y"]
[vocabulary.words]
"a#1" = [1, 0]
b = [0, 1]
[input]
tokens = ["a#1", "b", "a#1", "b"]
[[layer]]
[[layer.head]]
weights = [[1, 0, 0, 0], [0.25, 0.75, 0, 0], [0.125, 0.5, 0.375, 0], [0.125, 0.25, 0.5, 0.125]]
""",
)
