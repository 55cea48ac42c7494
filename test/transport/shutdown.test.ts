import { expect, it } from "vitest";
import type { ClientFrameType } from "../../src/protocol/frames/frames.ts";
import { validFrames } from "../protocol/valid-frames.ts";
import { startRig } from "./rig.ts";

const LOOKS = /^(check|get|request|subscribe|unsubscribe|dump|follow|set_log)_/;

it("while the manager is shutting down every frame that only looks is answered, every other one refused", async () => {
  await using rig = await startRig(["sim/world", "db"]);
  rig.control.isShuttingDown = true;
  const client = await rig.connect();
  for (const type of Object.keys(validFrames) as ClientFrameType[]) {
    const { code } = await client.ask(validFrames[type]);
    if (LOOKS.test(type)) expect(code, type).not.toBe("shutting_down");
    else expect(code, type).toBe("shutting_down");
  }
  expect(
    rig.control.calls
      .map(([name]) => name)
      .filter((name) => !["readBacklog", "processDetail", "startupCommands", "processList"].includes(name)),
  ).toEqual([]);
});
