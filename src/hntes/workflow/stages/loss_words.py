"""Sentences on the losses of a router's day, for its status."""

from collections.abc import Sequence

from hntes.etl.detect.counter_losses import ABOVE_COUNTERS, BELOW_COUNTERS
from hntes.etl.detect.losses import ALL_LOSSES, FACTOR_CAUSES, PORT_EXCEEDED, UNCLAIMED
from hntes.etl.detect.lost_exports import LOST_EXPORTS
from hntes.format import counted, long_gigabytes
from hntes.sql.entries import DayLoss

# Losses that do not count are named from this share of the router's or exporter's records on.
_MIN_NAMED_SHARE = 0.04
_MIN_LOST_SHARE = 0.01
_MOST_NAMED = 8
_DONE = {
    "sampling_lowered": "counted with a smaller sampling factor than announced",
    "former_factor": "without a sampling announcement, counted with the exporter's former factor",
    "other_domain_factor": "counted with the sampling factor of another observation domain of the exporter",
    "unannounced": "unsampled, of an exporter whose records were mostly sampled on the days before",
    "unused_sampler": "unsampled, of an exporter that announces a sampler which none of its records names",
    "no_duration": "without a duration, spread over the time that their port needs",
    LOST_EXPORTS: "or more were lost on the way to the collector, by the gaps of sequence numbers",
    "malformed_row": "could not be read (see the warnings of `hntes data files`)",
    "sampling_changed": "set aside with a sampling factor that their exporter never had",
}
_COUNTER_CAUSES = {BELOW_COUNTERS, ABOVE_COUNTERS}
_FACTOR_HINT = "see the warnings of `hntes data files` for the settings that confirm or correct the factor"
_CLOCK_HINT = '`clock = "collector"` takes the times of reception'
_HINTS = dict.fromkeys(FACTOR_CAUSES, _FACTOR_HINT) | {
    UNCLAIMED: "list the exporter in `exporters` of its router",
    LOST_EXPORTS: "give the collector a larger receive buffer (`nfcapd -B`), or look at the path of the exports",
    "no_time": _CLOCK_HINT,
    "in_future": _CLOCK_HINT,
    "faster_than_port": "correct `rate_bps` of the ports if they are faster",
    PORT_EXCEEDED: "correct `rate_bps` of the ports if they are faster",
    BELOW_COUNTERS: "check the exports and the sampling factor, see `hntes data days --json`",
    ABOVE_COUNTERS: "check the sampling factor, see `hntes data days --json`",
}


def loss_notes(losses: Sequence[DayLoss]) -> tuple[list[str], list[str]]:
    """Sentences on losses that leave the day incomplete, and on others that should be known; the largest first."""
    total = next((loss for loss in losses if loss.cause == ALL_LOSSES), None)
    gaps = [loss for loss in losses if loss.counts and loss is not total]
    others = [loss for loss in losses if not loss.counts and loss is not total and _is_named(loss, total)]
    sentences = [_sentence(loss) for loss in gaps[:_MOST_NAMED]]
    if len(gaps) > _MOST_NAMED:
        sentences.append(f"and {len(gaps) - _MOST_NAMED} more losses (`hntes data days --json`)")
    if sentences:
        sentences[-1] += _remedy(gaps)
    return sentences, [_sentence(loss) for loss in others[:_MOST_NAMED]]


def _is_named(loss: DayLoss, total: DayLoss | None) -> bool:
    """Doubtful factors and counters always; unclaimed exporters and lost exports by their size."""
    if loss.cause == UNCLAIMED:
        return total is not None and loss.records > _MIN_NAMED_SHARE * total.whole_records
    if loss.cause == LOST_EXPORTS:
        return loss.records > _MIN_LOST_SHARE * loss.whole_records
    return loss.cause in FACTOR_CAUSES - {"sampling_changed", "sampling_lowered"} | _COUNTER_CAUSES


def _sentence(loss: DayLoss) -> str:
    sizes = f"{_size(loss.bytes)} of {_size(loss.whole_bytes)}"
    size = f"{loss.records} of {counted(loss.whole_records, 'record')} ({sizes})"
    if loss.cause == UNCLAIMED:
        return (
            f"exporter {loss.exporter}, which no router lists: {counted(loss.records, 'record')} ({_size(loss.bytes)})"
        )
    if loss.cause == BELOW_COUNTERS:
        return f"flow records lack {sizes} that an interface counted{_remains(loss)}"
    if loss.cause == ABOVE_COUNTERS:
        return f"flow records report more than an interface counted at some times{_remains(loss)}"
    if loss.cause == PORT_EXCEEDED:
        return f"exporter {loss.exporter}: alpha flows of {size} exceed their port together"
    done = _DONE.get(loss.cause, f"set aside ({loss.cause})")
    return f"exporter {loss.exporter}: {size} {done}{_remains(loss)}"


def _remains(loss: DayLoss) -> str:
    return f", {loss.seen_s} s of the day remain" if loss.counts else ""


def _remedy(gaps: Sequence[DayLoss]) -> str:
    """What an operator can do."""
    causes = sorted({loss.cause for loss in gaps})
    listed = ", ".join(f'"{cause}"' for cause in causes)
    hints = dict.fromkeys(_HINTS[cause] for cause in causes if cause in _HINTS)
    accepted = f"if nothing is missing, `accepted_losses = [{listed}]` of the router accepts this"
    return "".join(f"; {text}" for text in (*hints, accepted))


def _size(size_bytes: int) -> str:
    return long_gigabytes(size_bytes, 2) if size_bytes >= 1e9 else f"{size_bytes / 1e6:.2f} MB"
