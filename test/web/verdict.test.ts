import { expect, test } from "vitest";
import type { ShownState } from "../../src/client/shown/shown-state.ts";
import { verdictOf } from "../../web/src/overview/verdict-text.ts";

const verdict = (counts: Partial<Record<ShownState, number>>, away = 0, processes = 9, noticed = 0) =>
  verdictOf({ counts: new Map(Object.entries(counts) as [ShownState, number][]), away, noticed, processes });

test("the verdict is red for failed or lost processes, and a warning while processes are only restarting", () => {
  expect(verdict({ error: 1, backoff: 2, starting: 1 })).toEqual({ kind: "bad", mark: "error", text: "3 processes need attention." });
  expect(verdict({ backoff: 1, lost: 1 }, 1)).toEqual({ kind: "bad", mark: "lost", text: "1 host is not connected." });
  expect(verdict({ backoff: 1, starting: 2 })).toEqual({
    kind: "warn",
    mark: "backoff",
    text: "1 process is restarting after a failure.",
  });
  expect(verdict({ waiting: 1, stopping: 1, ready: 3 })).toMatchObject({ kind: "busy", text: "2 processes are starting or stopping." });
  expect(verdict({ error: 1, backoff: 2, ready: 3 }, 0, 9, 2)).toMatchObject({ kind: "bad", text: "5 processes need attention." });
  expect(verdict({ starting: 1, ready: 3 }, 0, 9, 1)).toEqual({ kind: "warn", mark: "backoff", text: "1 process needs attention." });
  expect(verdict({ ready: 3 })).toMatchObject({ kind: "good", text: "No problems." });
  expect(verdict({}, 0, 0)).toMatchObject({ kind: "good", text: "No processes are configured." });
});
