"""The fuzz targets of the build with AddressSanitizer, each for its share of the time."""
import pathlib
import re
import shutil
import subprocess

SLACK = 600  # seconds beyond the time given to a target: for reading the corpus on a busy machine


def run(folder, tests, seconds, report):
    """`tests`: the folder of the targets and their corpora. What they find is kept in `folder`."""
    targets = sorted(path for path in pathlib.Path(tests).glob("fuzz_*") if path.is_file())
    executions = 0
    for target in targets:
        corpus = folder / "corpus" / target.name
        shutil.copytree(pathlib.Path(tests) / "corpus" / target.name.removeprefix("fuzz_"), corpus)
        share = max(1, int(seconds / len(targets)))
        words = [target, f"-max_total_time={share}", "-rss_limit_mb=1024", "-max_len=65536", "-print_final_stats=1",
                 "-timeout=120", f"-artifact_prefix={folder}/{target.name}-", corpus]
        try:
            ended = subprocess.run(words, capture_output=True, text=True, errors="replace", timeout=share + SLACK)
        except subprocess.TimeoutExpired:
            report(target.name, "fuzzing", ["does not end"])
            continue
        found = re.search(r"number_of_executed_units:\s*(\d+)", ended.stderr)
        executions += int(found[1]) if found else 0
        lines = [line for line in ended.stderr.splitlines() if "ERROR" in line or "SUMMARY" in line or "abort" in line]
        report(target.name, "fuzzing", [f"ended with {ended.returncode}: {lines[:2]}"] if ended.returncode != 0 else [])
    return {"fuzz targets": len(targets), "fuzz executions": executions}
