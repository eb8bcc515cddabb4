"""Many steps: recall until nothing changes.

- `likeness.py`: the comparison of a state with the stored patterns: a pattern, its reverse, a mixture, none
- `record.py`: the record of a recall: states, steps, status, energies
- `single_neuron.py`: neurons that are updated one at a time
- `updates/`: the ways to apply one step: synchronous, asynchronous, stochastic, continuous time
- `own_parts.py`: classes of the user's own, in the registries
- `saving.py`: the file of a memory: how it is written and read
- `loop.py`: the loop of every recall, of any library, and the rules that stop a cue
- `recall.py`: the base of every memory: its field and its energy, what follows from them, and the call of a recall
"""
