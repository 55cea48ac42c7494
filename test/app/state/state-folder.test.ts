import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, truncateSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createManager } from "../../../src/app/embedded/create-manager.ts";

const wait = { timeout: 110_000 };

test("an embedded manager whose state folder vanishes writes it again, with what was requested", async () => {
  const folder = mkdtempSync(join(tmpdir(), "mgr-folder-"));
  const stateDir = join(folder, "state");
  const log: string[] = [];
  {
    await using manager = await createManager(
      { processes: { idle: { command: "sleep 1000" } } },
      { stateDir, bus: true, onLog: ({ msg }) => log.push(msg) },
    );
    await manager.process("idle").start();
    const files = ["instance.json", "bus.json", "bus.url"];
    const before = files.map((file) => readFileSync(join(stateDir, file), "utf8"));
    renameSync(stateDir, `${stateDir}.gone`);
    await expect.poll(() => log.some((msg) => msg.includes("was removed while this program runs")), wait).toBe(true);
    expect(files.map((file) => readFileSync(join(stateDir, file), "utf8"))).toEqual(before);
    const intent = () => JSON.parse(readFileSync(join(stateDir, "intent.json"), "utf8")) as { processes: object };
    expect(intent().processes).toMatchObject({ idle: { requested_state: "start" } });

    for (const file of ["intent.json", "bus.url", "instance.json"]) rmSync(join(stateDir, file));
    await expect.poll(() => log.filter((msg) => msg.includes("is written again")).length, wait).toBeGreaterThan(0);
    await expect.poll(() => ["intent.json", "bus.url", "instance.json"].every((file) => existsSync(join(stateDir, file))), wait).toBe(true);
    expect(intent().processes).toMatchObject({ idle: { requested_state: "start" } });

    await manager.process("idle").stop();
    // Its folder does not change by that.
    truncateSync(join(stateDir, "intent.journal"));
    await expect.poll(() => log.some((msg) => msg.startsWith("intent.journal had been removed or replaced")), wait).toBe(true);
    expect(intent().processes).toMatchObject({ idle: { requested_state: "stop" } });
  }
  expect(existsSync(join(stateDir, "intent.journal"))).toBe(false);
  expect(existsSync(join(stateDir, "bus.url"))).toBe(false);
  rmSync(folder, { recursive: true });
});
