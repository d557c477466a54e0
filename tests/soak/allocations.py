"""Makes allocations of every command fail: a message and no output, or the same result as without the failure."""
import workbench


def run(bench, budget, draw, report):
    """Visits the uses in turn. Every other visit fails the next allocation from the start, the others a random one."""
    uses = draw.sample(workbench.USES, len(workbench.USES))
    totals, visit = {}, 0
    while budget.next():
        rank, use = divmod(visit, len(uses))
        use, visit = uses[use], visit + 1
        words = bench.words(use)
        reference = bench.reference(use, report)
        total = totals[use] if use in totals else totals.setdefault(use, bench.counts(words)[1]["malloc"])
        at = rank // 2 + 1 if rank % 2 == 1 and rank // 2 < total else draw.randint(1, total)
        fault = f"malloc:{at}{draw.choice(['', '+'])}:ENOMEM"
        report(use, f"{fault} of {total}", workbench.defects(bench.run(words, environment=bench.fault(fault)), reference))
    return {"allocation failures": budget.used}
