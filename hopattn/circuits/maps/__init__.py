"""Maps of places: positions are turned by each action of a walk, and attention recalls what was seen at a position.

- `world.py`: places, and the actions that lead from one to another, on a lattice or by the edges of a graph
- `rotations.py`: the position of each place as a product of rotations, one for each action
- `walk.py`: a walk through a world, with a memory of positions and observations
"""
