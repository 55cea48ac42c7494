import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { expect, it } from "vitest";
import { systemClock } from "../../../../src/base/timing/clock.ts";
import { wallClockNs } from "../../../../src/features/data-plane/wall-clock.ts";
import { bundled } from "../../../support/bundled.ts";
import { FlightRig } from "./flight-rig.ts";

/** Longest delay after the begin of the part at which the program is killed, milliseconds: in the middle of writing it. */
const MAX_DELAY_MS = 600;
const KILLS = 2;

it("a part is completed after kill -9 in the middle of writing it, with everything that the disk has, in order", {
  timeout: 120_000,
}, async () => {
  const program = await bundled("test/features/flight/host/programs/keep-from-memory.ts");
  for (let kill = 0; kill < KILLS; kill++) {
    const folder = mkdtempSync(join(tmpdir(), "mgr-flight-killed-"));
    try {
      const child = spawn(process.execPath, [program, folder], { stdio: ["ignore", "pipe", "inherit"] });
      const exited = once(child, "exit");
      let incident = "";
      for await (const line of createInterface(child.stdout)) {
        [incident = ""] = line.split(" ");
        setTimeout(() => child.kill("SIGKILL"), Math.random() * MAX_DELAY_MS);
      }
      await exited;
      await using rig = new FlightRig({ folder, clock: systemClock, now: wallClockNs });
      // What an event tells may have been told before: the list is asked.
      const part = async () => JSON.parse(Buffer.from((await rig.recorder.parts()).data).toString())[0];
      while ((await part()).state === "writing") await pause(10);
      expect(await part()).toMatchObject({ incident, state: "complete", problem: null });
      const messages = await rig.messages(incident);
      const numbers = messages.filter(({ topic }) => topic === "arm/state").map(({ data }) => JSON.parse(String(data)).n as number);
      expect(numbers).toEqual(Array.from({ length: numbers.length }, (_, n) => n));
      const { missing, messages: counted } = await part();
      expect(counted).toBe(messages.length);
      expect(missing.join("\n")).toMatch(/the host daemon (did not run|was killed)|the ring reaches back/);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
});
