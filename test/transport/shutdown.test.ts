import { expect, it } from "vitest";
import { featureCommands } from "../../src/features/wire.ts";
import type { ClientFrameType } from "../../src/protocol/frames/frames.ts";
import { validFrames } from "../protocol/valid-frames.ts";
import { startRig } from "./rig.ts";

const LOOKS = /^(check|compare|get|plan|request|search|cancel_search|subscribe|unsubscribe|dump|follow|set_log|trace|measure)_/;
/** What frames that only look ask of the core. */
const READINGS = ["readBacklog", "processDetail", "startupCommands"];

it("while the manager is shutting down every frame that only reads is answered, every other one refused", async () => {
  await using rig = await startRig(["sim/world", "db"]);
  rig.control.isShuttingDown = true;
  const client = await rig.connect();
  for (const type of Object.keys(validFrames) as ClientFrameType[]) {
    rig.control.calls.length = 0;
    const { code } = await client.ask(validFrames[type]);
    const called = rig.control.calls.map(([name]) => name);
    if (LOOKS.test(type)) expect(code, type).not.toBe("shutting_down");
    else {
      expect(code, type).toBe("shutting_down");
      expect(called, type).toEqual([]);
    }
    // What a feature asks of hosts is in its own tests.
    if (!(type in featureCommands)) expect(READINGS, type).toEqual(expect.arrayContaining(called));
  }
});
