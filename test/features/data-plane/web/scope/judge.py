"""Computes with numpy what the page computes. Reads one JSON array of cases, writes the results. null is NaN."""

import json
import sys

import numpy as np


def statistics(values, times):
    values, times = np.array(values), np.array(times)
    rate = (len(times) - 1) / (times[-1] - times[0]) if len(times) > 1 else None
    rms = np.sqrt(np.mean(values**2))
    return [values.min(), values.max(), values.mean(), values.std(), rms, len(values), rate]


def derived(kind, lines, seconds):
    times, values = np.array(lines[0][0]), np.array(lines[0][1])
    if kind == "derivative":
        return [times[1:], np.diff(values) / np.diff(times)]
    if kind == "mean":
        return [times, [values[(times > t - seconds) & (times <= t)].mean() for t in times]]
    inside = np.all([(times >= t[0]) & (times <= t[-1]) for t, _ in lines], axis=0)
    shown = times[inside]
    columns = [np.interp(shown, t, v) for t, v in lines]
    return [shown, columns[0] - columns[1] if kind == "difference" else np.linalg.norm(columns, axis=0)]


def trigger(kind, level, times, values):
    times, values = np.array(times), np.array(values)
    if kind in ("above", "below"):
        return [times[values > level if kind == "above" else values < level]]
    sign = 1 if kind == "rising" else -1
    before, now = sign * (values[:-1] - level), sign * (values[1:] - level)
    at = np.flatnonzero((before < 0) & (now >= 0))
    share = -before[at] / (now[at] - before[at])
    return [times[at] + share * (times[at + 1] - times[at])]


def plain(result):
    return [np.asarray(part).tolist() for part in result]


FUNCTIONS = {"statistics": statistics, "derived": derived, "trigger": trigger}
json.dump([plain(FUNCTIONS[name](*arguments)) for name, *arguments in json.load(sys.stdin)], sys.stdout)
