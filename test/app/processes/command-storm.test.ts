import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { createManager } from "../../../src/app/index.ts";
import type { ManagerClient } from "../../../src/client/manager-client.ts";
import { seededRandom } from "../../support/random.ts";

const SECONDS = Number(process.env.MGR_STORM_SECONDS ?? 5);
const CLIENTS = 100;
const POLL_MS = 15;
/** Stands in the words of the program, and nowhere else. */
const MARK = `100000.${process.pid}`;

/** Pids of everything that has MARK among its words. */
function instances(): number[] {
  return readdirSync("/proc").flatMap((entry) => {
    if (!/^\d+$/.test(entry)) return [];
    try {
      return readFileSync(`/proc/${entry}/cmdline`, "utf8").includes(MARK) ? [Number(entry)] : [];
    } catch (error) {
      // It ended between the listing and the reading.
      if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ESRCH")) return [];
      throw error;
    }
  });
}

test(
  `${CLIENTS} clients that start and stop one process for ${SECONDS} s: never two instances, and at last what was accepted last`,
  async () => {
    await using manager = await createManager({ processes: { one: { command: ["sleep", MARK] } } });
    const random = seededRandom();
    const began = performance.now();
    // On a slow machine the storm goes on until a run was seen: without one nothing would have been tested.
    const isOver = () => performance.now() - began > SECONDS * 1_000 && seen.size > 0;
    const seen = new Set<number>();
    let last = "stop" as "start" | "stop";
    let requests = 0;
    const play = async (client: ManagerClient) => {
      while (!isOver()) {
        // In process a frame is accepted before `request` returns: the order of these lines is the order of acceptance.
        last = random() < 0.5 ? "start" : "stop";
        requests++;
        await client.request({ type: `${last}_process`, name: "one" });
        await pause(random() * 500);
      }
    };
    const most: number[] = [];
    const poll = setInterval(() => {
      const now = instances();
      for (const pid of now) seen.add(pid);
      if (now.length > 1) most.push(now.length);
    }, POLL_MS);
    try {
      await Promise.all(Array.from({ length: CLIENTS }, () => play(manager.connect())));
      const one = manager.process("one");
      const state = last === "start" ? "started" : "stopped";
      await one.waitFor(state);
      // Nothing that is still under way may change it.
      await pause(300);
      expect(await one.get()).toMatchObject({ state, requested_state: last });
      await expect.poll(instances).toHaveLength(last === "start" ? 1 : 0);
    } finally {
      clearInterval(poll);
    }
    console.info(`${requests} requests, ${seen.size} runs seen`);
    expect(most).toEqual([]);
    expect(requests).toBeGreaterThanOrEqual(CLIENTS);
    expect(seen.size).toBeGreaterThan(0);
  },
  SECONDS * 1_000 + 120_000,
);
