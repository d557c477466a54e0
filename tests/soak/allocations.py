"""Makes allocations of every command fail: a message and no output, or the same result as without the failure."""
import workbench


def count(bench, shim, words):
    """The number of allocations of a run."""
    path = bench.folder / "count"
    bench.run(words, environment={"LD_PRELOAD": shim, "FAIL_COUNT": str(path)})
    return int(path.read_text())


def run(bench, budget, draw, report, shim):
    """Visits the uses in turn. Every other visit fails the next allocation from the start, the others a random one."""
    uses = draw.sample(workbench.USES, len(workbench.USES))
    totals, visit = {}, 0
    while budget.next():
        rank, use = divmod(visit, len(uses))
        use, visit = uses[use], visit + 1
        words = bench.words(use)
        reference = bench.reference(use, report)
        total = totals[use] if use in totals else totals.setdefault(use, count(bench, shim, words))
        at = rank // 2 + 1 if rank % 2 == 1 and rank // 2 < total else draw.randint(1, total)
        more = draw.choice("01")
        result = bench.run(words, environment={"LD_PRELOAD": shim, "FAIL_AT": str(at), "FAIL_MORE": more})
        report(use, f"allocation {at} of {total}, FAIL_MORE={more}", workbench.defects(result, reference))
    return {"allocation failures": budget.used}
