import { BehaviorSubject, Subject } from "rxjs";
import { expect, test } from "vitest";
import { AttachedLink } from "../../../src/cli/commands/processes/attach/attached-link.ts";
import type { ManagerLinkState } from "../../../src/client/link/manager-link.ts";
import { ManagerClient } from "../../../src/client/manager-client.ts";
import type { ManagerFrame } from "../../../src/protocol/frames/frames.ts";

/** A client whose connection ends when a test says so. */
function openClient() {
  const state$ = new BehaviorSubject<ManagerLinkState>({ kind: "open" });
  const link = { state$, frames$: new Subject<ManagerFrame>(), send: () => true, isFull: false, close: () => {} };
  return { client: new ManagerClient(link), lose: () => state$.next({ kind: "closed", reason: "it was killed" }) };
}

const forever = new Promise<void>(() => {});

test("attaching ends with the reason when the manager does not come back in time", async () => {
  const { client, lose } = openClient();
  const limit = new AbortController();
  const notes: string[] = [];
  const link = new AttachedLink(client, {
    note: (text) => notes.push(text),
    limit: () => limit.signal,
    reconnect: (signal) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
  });
  const events: string[] = [];
  const over = link.follow(forever, { lost: () => events.push("lost"), back: async () => void events.push("back") });
  lose();
  setImmediate(() => limit.abort());
  await expect(over).rejects.toThrow("the connection to the manager was closed: it was killed; it did not come back within");
  expect(events).toEqual(["lost"]);
  expect(notes).toEqual(["the connection to the manager was closed: it was killed. Reconnecting; Ctrl-] detaches"]);
});

test("attaching goes on over the connection that stays, if another one was lost before its output had arrived", async () => {
  const [first, second, third] = [openClient(), openClient(), openClient()];
  const opened = [second, third];
  const link = new AttachedLink(first.client, {
    note: () => {},
    reconnect: async () => opened.shift()?.client ?? Promise.reject(new Error("no more")),
  });
  let stop = () => {};
  const work = new Promise<void>((resolve) => {
    stop = resolve;
  });
  const over = link.follow(work, {
    lost: () => {},
    back: (client) => {
      if (client === third.client) stop();
      else second.lose();
      return client === third.client ? Promise.resolve() : forever;
    },
  });
  first.lose();
  await over;
  expect(link.client).toBe(third.client);
});

test("attaching without a way to reconnect ends with the connection", async () => {
  const { client, lose } = openClient();
  const link = new AttachedLink(client, { note: () => {}, reconnect: null });
  const over = link.follow(forever, { lost: () => {}, back: async () => {} });
  lose();
  await expect(over).rejects.toThrow("the connection to the manager was closed: it was killed");
});
