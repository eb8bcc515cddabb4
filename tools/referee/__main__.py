"""Record what this tree does, or compare it with a record.

`python -m tools.referee record old.gz` on the tree before a change; `python -m tools.referee compare old.gz` on the
tree after it prints each difference, and ends with 1 if there is one. A record holds for one Python, NumPy and
processor.
"""

import argparse
import concurrent.futures
import fnmatch
import gzip
import json
import multiprocessing
import os
import platform
import sys
import time
from pathlib import Path

PARTS = ("scenarios", "recalls", "parts", "calls", "files", "commands", "large", "transforms")


def recorded(processes, only):
    import numpy as np

    from tools.referee.records import command, jobs, work

    chosen = [job for job in jobs() if job[0] in only]
    kept, seconds = {}, dict.fromkeys(only, 0.0)
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(processes, mp_context=context, max_tasks_per_child=1) as pool:
        for part, records, spent in pool.map(work, chosen):
            kept |= records
            seconds[part] += spent
            sys.stderr.write(f"{part}: {len(records)} records, {spent:.0f} s\n")
    about = {
        "numpy": np.__version__,
        "python": platform.python_version(),
        "kernels": command("--version").stdout.strip(),
    }
    return {"about": about, "seconds": seconds, "kept": kept}


def main():
    parser = argparse.ArgumentParser(prog="python -m tools.referee", description=__doc__.partition("\n")[0])
    parser.add_argument("do", choices=["record", "compare"])
    parser.add_argument("file", type=Path)
    parser.add_argument("--within", type=float, default=1e-12, help="the tolerance of numbers, in float64 (1e-12)")
    parser.add_argument("--only", choices=PARTS, action="append", help="only this part; may be given again")
    parser.add_argument(
        "--accept", type=Path, help="patterns of names, one a line, # and the reason behind: wanted changes"
    )
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    options = parser.parse_args()
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(name, "1")
    os.environ["PYTHONHASHSEED"] = "0"
    os.environ.pop("COLUMNS", None)
    start, only = time.monotonic(), options.only or PARTS
    new = recorded(options.processes, only)
    took = f"{time.monotonic() - start:.0f} s; processor seconds {sum(new['seconds'].values()):.0f}"
    if options.do == "record":
        options.file.write_bytes(gzip.compress(json.dumps(new).encode(), 6))
        raised = [name for name, one in new["kept"].items() if one.get("kind", "").startswith("RAISED")]
        sys.stdout.write(f"{len(new['kept'])} records, {took}; exceptions that nobody meant: {raised[:12]}\n")
        return 0
    old = json.loads(gzip.decompress(options.file.read_bytes()))
    return report(old, new, options, took)


def report(old, new, options, took):
    from tools.referee.differences import difference

    lines = options.accept.read_text(encoding="utf-8").splitlines() if options.accept else []
    accepted = [pattern for line in lines if (pattern := line.partition("#")[0].strip())]
    found = {"wanted": 0, "other words or rounding": 0, "differences": 0}
    parts = {name.partition(" ")[0] for name in new["kept"]}
    for name, record in old["kept"].items():
        if options.only and name.partition(" ")[0] not in parts:
            continue
        words = difference(name, record, new["kept"].get(name), options.within)
        if words.startswith("~"):
            found["other words or rounding"] += 1
        elif words and any(fnmatch.fnmatchcase(name, pattern) for pattern in accepted):
            found["wanted"] += 1
        elif words:
            found["differences"] += 1
            sys.stdout.write(f"{name}: {words}\n")
    more = len(new["kept"].keys() - old["kept"].keys())
    if old["about"] != new["about"]:
        sys.stdout.write(f"note: the record is of {old['about']}, this run of {new['about']}\n")
    sys.stdout.write("; ".join(f"{n} {what}" for what, n in found.items()) + f"; {more} new records; {took}\n")
    return found["differences"] > 0


if __name__ == "__main__":
    sys.exit(main())
