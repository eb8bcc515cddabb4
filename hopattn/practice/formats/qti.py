"""QTI 1.2, which Canvas and other platforms read: questions with choices, made by the package text2qti."""

import re
from importlib import import_module
from io import BytesIO
from zipfile import ZipFile, ZipInfo

from hopattn.practice.formats.prose import PLATFORM, choice, explained, posed
from hopattn.practice.problem import LETTERS, Problem, Sheet
from hopattn.results.dataset import imported
from hopattn.results.files import EPOCH
from hopattn.views.visible import visible

_DATE = re.compile(rb"(?<=<imsmd:dateTime>)[^<]*")


def sheet(sheet: Sheet) -> bytes:
    """A ZIP archive of QTI 1.2; it needs the package text2qti, which the extra `qti` brings."""
    imported("text2qti", "format qti")
    quiz, config, qti = (import_module(f"text2qti.{name}") for name in ("quiz", "config", "qti"))
    made = qti.QTI(quiz.Quiz(_source(sheet), config=config.Config())).zip_bytes()
    return _without_dates(made, sheet.command)


def _source(sheet: Sheet) -> str:
    """The sheet in the language of text2qti, which leaves HTML as it is."""
    title = f"{sheet.texts['format']['practice']}: {sheet.title}"
    return f"Quiz title: {visible(title)}\n\n" + "".join(_question(sheet, problem) for problem in sheet.problems)


def _question(sheet: Sheet, problem: Problem) -> str:
    lines = [
        f"Title: {visible(sheet.texts['format']['problem'])} {problem.number}",
        f"{problem.number}. {_html(f'problem-{problem.number}', posed(PLATFORM, problem))}",
        f"... {_html('working', explained(PLATFORM, sheet, problem))}",
    ]
    for letter, one in zip(LETTERS.lower(), problem.choices, strict=False):
        lines.append(f"{'' if one.error else '*'}{letter}) {_html('answer', choice(PLATFORM, problem, one))}")
        lines += [f"... {_html('error', PLATFORM.text(one.reason))}"] if one.error else []
    return "\n".join(lines) + "\n\n"


def _html(role: str, text: str) -> str:
    """A block of HTML in one line. role: its class, by which problems that look the same differ."""
    return f'<div class="{role}">{text.replace(chr(10), "")}</div>'


def _without_dates(archive: bytes, command: str) -> bytes:
    """An archive without the time at which it was made, so that the same sheet is the same file."""
    fixed = BytesIO()
    with ZipFile(BytesIO(archive)) as made, ZipFile(fixed, "w") as written:
        written.comment = command.encode()
        for name in made.namelist():
            info = ZipInfo(name, EPOCH)  # not compressed, because versions of zlib differ
            info.create_system = 3
            written.writestr(info, _DATE.sub(b"1980-01-01", made.read(name)))
    return fixed.getvalue()
