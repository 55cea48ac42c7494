import { PassThrough } from "node:stream";
import { beforeEach, describe, expect, test } from "vitest";
import type { GuiRequest } from "../../../../src/features/displays/gui-frames.ts";
import { ConnectedGuis } from "../../../../src/features/displays/manager/connected-guis.ts";
import { LogBook } from "../../../../src/log/log-book.ts";
import { type TestClock, testClock } from "../../../actors/support/clock.ts";

const CLIENT = { process: "sim/eyes", host: "robot" };

let clock: TestClock;
let guis: ConnectedGuis;
let changes: string[];
beforeEach(() => {
  clock = testClock();
  guis = new ConnectedGuis({ clock, log: new LogBook({ capacity: 100, now: () => 0 }) });
  changes = [];
  guis.onChange((user) => changes.push(user));
});

/** A `mgr gui`, and what the manager asks it for. */
function enter(user: string, peer: string) {
  const requests: GuiRequest[] = [];
  const unsubscribe = guis.enter({ user, peer, display: ":0", send: (request) => requests.push(request) });
  const asked = () => requests.flatMap((request) => (request.type === "open_x_connection" ? [request.connection] : []));
  return { unsubscribe, asked };
}

describe("an X connection to a desktop", () => {
  test("is cancelled if mgr gui does not open it", async () => {
    const { asked } = enter("ada", "10.0.0.1:5");
    const opening = guis.connect("ada", CLIENT);
    const refused = expect(opening).rejects.toMatchObject({
      code: "timeout",
      message: expect.stringMatching(/did not answer within 20 s/),
    });
    const [id = ""] = asked();
    expect(guis.isAwaited("ada", id)).toBe(true);
    clock.advance(20_000);
    await refused;
    expect(guis.isAwaited("ada", id)).toBe(false);
    const late = new PassThrough();
    guis.deliver("ada", id, late);
    expect(late.destroyed).toBe(true);
  });

  test("is one of 256 at most; another one is possible when one has ended", async () => {
    const { asked } = enter("ada", "10.0.0.1:5");
    const streams = Array.from({ length: 256 }, () => new PassThrough());
    const all = streams.map(() => guis.connect("ada", CLIENT));
    for (const [index, id] of asked().entries()) guis.deliver("ada", id, streams[index] ?? new PassThrough());
    expect(await Promise.all(all)).toEqual(streams);
    await expect(guis.connect("ada", CLIENT)).rejects.toMatchObject({ code: "busy" });
    await new Promise((resolve) => streams[0]?.once("close", resolve).destroy());
    const next = guis.connect("ada", CLIENT);
    const stream = new PassThrough();
    guis.deliver("ada", asked().at(-1) ?? "", stream);
    expect(await next).toBe(stream);
  });
});

test("processes report another desktop of their user only when it gets new windows", () => {
  const first = enter("ada", "10.0.0.1:5");
  const second = enter("ada", "10.0.0.2:5");
  enter("bob", "10.0.0.3:5");
  expect([changes, guis.desktopOf("ada")?.peer]).toEqual([["ada", "ada", "bob"], "10.0.0.2:5"]);
  first.unsubscribe();
  expect([changes.length, guis.desktopOf("ada")?.peer]).toEqual([3, "10.0.0.2:5"]);
  second.unsubscribe();
  expect([changes.slice(3), guis.desktopOf("ada")]).toEqual([["ada"], null]);
});
