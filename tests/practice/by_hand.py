"""A referee in exact fractions: the answer to a problem of each form of exercise, from the sheet alone.

Nothing here is shared with hopattn. What the sheet does not tell, this file does not know.
"""

from fractions import Fraction

from hopattn.practice.problem import Grid


def number(text):
    return Fraction(text.replace("−", "-"))


def tables(problem):
    """The rows of each table of the sheet by their names."""
    grids = [part for part in problem.given if isinstance(part, Grid)]
    return [{name: [*map(number, cells)] for name, cells in zip(grid.rows, grid.cells, strict=True)} for grid in grids]


def sentence(problem, begin):
    return next(part for part in problem.given if isinstance(part, str) and part.startswith(begin))


def product(left, right):
    """A Bᵀ of two lists of rows."""
    return [[sum(a * b for a, b in zip(one, other, strict=True)) for other in right] for one in left]


def columns(rows):
    return [[*column] for column in zip(*rows, strict=True)]


def off_diagonal(matrix):
    return [[value * (i != j) for j, value in enumerate(row)] for i, row in enumerate(matrix)]


def spins(rows):
    return [[2 * value - 1 for value in row] for row in rows]


def flow(problem, couplings, state, turned):
    """The field of each neuron in its turn and its value after it; turned: of a field and a value."""
    told = sentence(problem, "The neurons change one after the other, in this order: ")
    state, rows = [*state], []
    for neuron in told.partition(": ")[2].partition(".")[0].split(", "):
        i = int(neuron) - 1
        field = sum(w * x for w, x in zip(couplings[i], state, strict=True))
        state[i] = turned(field, state[i])
        rows.append([field, state[i]])
    return rows


def hebb(problem):
    (patterns,) = tables(problem)
    assert "divided by the number of neurons" in sentence(problem, "A Hopfield network")
    ones = columns(patterns.values())
    return [[value / len(ones) for value in row] for row in off_diagonal(product(ones, ones))]


def printed_couplings(problem):
    cues, couplings = tables(problem)
    state, rows = cues["start"], [*couplings.values()]
    if "in its turn" in problem.question:
        return flow(problem, rows, state, lambda field, _: 1 if field > 0 else -1)
    fields = [sum(w * x for w, x in zip(row, state, strict=True)) for row in rows]
    if "field of neuron 2" in problem.question:
        return [[fields[1]]]
    assert "energy of the cue" in problem.question
    return [[-sum(x * h for x, h in zip(state, fields, strict=True)) / 2]]


def zeros_and_ones(problem):
    (vectors,) = tables(problem)
    assert "a value of 0 counts as −1" in sentence(problem, "A Hopfield network")
    ones = columns(spins([vectors["1"], vectors["2"]]))
    up = "A neuron whose field is 0 becomes 1." in sentence(problem, "The neurons change")
    assert up and "1 if its field is above 0, and 0 if" in sentence(problem, "The new state")
    return flow(problem, off_diagonal(product(ones, ones)), vectors["ones"], lambda field, _: int(field >= 0))


def pairs(problem):
    left, right = tables(problem)
    assert "a value of 0 counts as −1" in sentence(problem, "A bidirectional memory")
    x, y = spins([left["1"], left["2"]]), spins([right["value 1"], right["value 2"]])
    return product(columns(y), columns(x))


def three_matrices(problem):
    words, query, key, _ = tables(problem)
    tokens = sentence(problem, "The text is: ").removeprefix("The text is: ").rstrip(".").split()
    assert sentence(problem, "The query of a word is its vector times this matrix")
    x = [words[token] for token in tokens]
    return product(product(x, columns(query.values())), product(x, columns(key.values())))


def printed_heads(problem):
    queries, keys, _ = tables(problem)
    return product([*queries.values()], [*keys.values()])


def hidden(problem):
    """The hidden neurons max(0, x·W + b) of a head with printed weights, which replaces the words."""
    words, weights, inner, _ = tables(problem)
    assert sentence(problem, "The output of the head replaces") and "vector of the word times" in sentence(
        problem, "Then"
    )
    told = sentence(problem, "To these inputs, ").removeprefix("To these inputs, ").partition(" are")[0]
    states = product([*weights.values()], columns([words[name] for name in weights]))
    inputs = product(states, columns(inner.values()))
    bias = [*map(number, told.split(", "))]
    return [[max(0, value + b) for value, b in zip(row, bias, strict=True)] for row in inputs]


FORMS = (hebb, printed_couplings, zeros_and_ones, pairs, three_matrices, printed_heads)
"""The answer to a problem of forms 1 to 6, row by row."""
