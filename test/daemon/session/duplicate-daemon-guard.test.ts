import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { hostSubject } from "../../../src/contract/subjects.ts";
import { DuplicateDaemonGuard } from "../../../src/daemon/session/duplicate-daemon-guard.ts";
import { BusRig } from "../../bus/bus-rig.ts";
import { eventually } from "../../e2e/support/wait.ts";

describe("two daemons of one name", () => {
  let rig: BusRig;
  beforeEach(async () => {
    rig = await BusRig.start();
  });
  afterEach(async () => {
    await rig[Symbol.asyncDispose]();
  });

  const daemon = async (streamId: string) => {
    const control = await rig.bus(`daemon ${streamId}`);
    const received: string[] = [];
    const state = { isServing: false };
    const speaker = new DuplicateDaemonGuard({ control, host: { host: "rt1", streamId }, log: (_level, msg) => received.push(msg) });
    const end = speaker.begin(() => {
      state.isServing = true;
      return () => {
        state.isServing = false;
      };
    });
    return { control, received, state, end };
  };

  it("the second one waits, reports that once, and serves when the first has ended", async () => {
    const first = await daemon("a");
    await eventually("the first serves", () => first.state.isServing);
    const second = await daemon("b");
    await eventually("it is told", () => second.received.length > 0);
    expect(second.state.isServing).toBe(false);
    expect(second.received).toEqual([expect.stringContaining("another daemon (pid ")]);
    first.end();
    await eventually("the second serves", () => second.state.isServing);
    second.end();
  });

  it("if they meet later, one of them stops serving", async () => {
    const { control, received, state, end } = await daemon("b");
    await eventually("it serves", () => state.isServing);
    const other = await rig.bus("the other");
    const beat = (stream_id: string) => other.publish(hostSubject("rt1", "heartbeat"), JSON.stringify({ stream_id, pid: 7 }));
    beat("c");
    await other.flush();
    await control.flush();
    expect([state.isServing, received.length]).toEqual([true, 1]);
    beat("a");
    await eventually("it is silent", () => !state.isServing);
    end();
  });
});
