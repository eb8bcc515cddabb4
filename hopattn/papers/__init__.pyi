"""The public names of `hopattn.papers`."""

from .loading import records as records
from .record import Computed as Computed
from .record import Record as Record
from .record import verdicts as verdicts
