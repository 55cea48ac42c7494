import { Subject } from "rxjs";
import { expect, test } from "vitest";
import { LoadHandle } from "../../../src/features/load-history/client/load-handle.ts";
import type { ClientFrame, ManagerFrame } from "../../../src/protocol/frames/frames.ts";
import { HISTORY, LOAD } from "./fake-load-history.ts";

function connection() {
  const sent: ClientFrame[] = [];
  const events$ = new Subject<ManagerFrame>();
  const client = {
    events$,
    request: async (frame: ClientFrame) => {
      sent.push(frame);
      return { type: "load_history", ok: true, processes: [HISTORY], away: [] } as never;
    },
  };
  const sample = (name: string) => events$.next({ type: "load_sample", name, host: "testhost", ts: HISTORY.start, load: LOAD });
  return { sent, client, sample };
}

test("the samples of a group are subscribed to once, for as long as there is a subscriber", () => {
  const { sent, client, sample } = connection();
  const names: string[] = [];
  const one = new LoadHandle(client, "sim").samples$.subscribe(({ name }) => names.push(name));
  const two = new LoadHandle(client, "sim").samples$.subscribe();
  for (const name of ["sim/world", "simulator", "sim", "arm"]) sample(name);
  expect(names).toEqual(["sim/world", "sim"]);
  expect(sent).toEqual([{ type: "subscribe_load", name: "sim" }]);
  one.unsubscribe();
  expect(sent).toHaveLength(1);
  two.unsubscribe();
  expect(sent.at(-1)).toEqual({ type: "unsubscribe_load", name: "sim" });
});

test("a history is requested by times as the protocol writes them", async () => {
  const { sent, client } = connection();
  const handle = new LoadHandle(client, "sim/world");
  expect(await handle.history({ from: new Date("2026-11-21T08:00:00Z"), points: 5, series: ["memory"] })).toEqual([HISTORY]);
  expect(sent).toEqual([
    { type: "request_load_history", names: ["sim/world"], from: "2026-11-21T08:00:00.000", points: 5, series: ["memory"] },
  ]);
});
