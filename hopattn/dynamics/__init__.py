"""Many steps: recall until nothing changes.

- `likeness.py`: the comparison of a state with the stored patterns: a pattern, its reverse, a mixture, none
- `record.py`: the record of a recall: states, steps, status, energies
- `single_neuron.py`: neurons that are updated one at a time
- `protocol.py`: the protocol of a memory, with its defaults
- `updates/`: the ways to apply one step: synchronous, asynchronous, stochastic, continuous time
- `own_parts.py`: classes of the user's own, in the registries
- `saving.py`: the file of a memory: how it is written and read
- `stopping.py`: the rules that stop a cue: growth, a fixed point, a cycle
- `recall_on_device.py`: recall of arrays of PyTorch and JAX, which stay on their device
- `recall.py`: recall: step after step, and what a memory inherits
"""
