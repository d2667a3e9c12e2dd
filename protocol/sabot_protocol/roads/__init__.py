"""The roads of a shoe: bead plate, big road, big eye boy, small road and cockroach pig, as marks with their cells.

`Roads` takes the coups of a shoe one by one; a corrected shoe is computed anew. `counts` counts results and pairs,
`dragon_tail` the consecutive results of each side. A coup without wagers has a cell of the
bead plate and none of the others; a void coup is left out.
"""

from sabot_protocol.roads.counts import Counts, DragonTail, counts, dragon_tail
from sabot_protocol.roads.results import ResultError, RoadResult, of_coup, parse
from sabot_protocol.roads.shoe import Added, BigCell, Cell, Derived, Roads

__all__ = [
    "Added",
    "BigCell",
    "Cell",
    "Counts",
    "Derived",
    "DragonTail",
    "ResultError",
    "RoadResult",
    "Roads",
    "counts",
    "dragon_tail",
    "of_coup",
    "parse",
]
