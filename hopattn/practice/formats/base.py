"""The form of a format: a sheet as one file or as a folder of files."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import ClassVar

from hopattn.practice.problem import Sheet


class Format(ABC):
    """A way to write sheets of problems."""

    name: ClassVar[str]
    """The name that `--format` takes."""
    ending: ClassVar[str]
    """The ending of the file of a sheet; empty for a folder."""
    upload: ClassVar[bool] = False
    """Whether a learning platform reads the sheet, which therefore holds the answers."""

    @abstractmethod
    def sheet(self, sheet: Sheet) -> str | bytes | Mapping[str, bytes]:
        """The text or the bytes of the sheet's file; for a folder, the bytes of each file by its path in the folder."""

    @abstractmethod
    def key(self, sheet: Sheet) -> str:
        """The text of the key: the answers, the working, and the errors behind the wrong answers.

        The key of an upload is Markdown.
        """
