import { expect, test } from "vitest";
import { startRig } from "./rig.ts";

test("a snapshot shows one moment although it takes many turns, and what changes meanwhile follows it", async () => {
  const names = Array.from({ length: 5_000 }, (_, index) => `all/p${index}`);
  await using many = await startRig(names);
  const clients = [await many.connect(), await many.connect()];
  const answers = clients.map((client) => client.ask({ type: "get_snapshot" }));
  // The first frames of the requests arrive in some turn: changes are made in each until both are answered.
  let rounds = 0;
  const answered = Promise.all(answers);
  let isAnswered = false;
  void answered.then(() => {
    isAnswered = true;
  });
  while (!isAnswered) {
    rounds++;
    for (const name of ["all/p0", "all/p2500", "all/p4999"]) many.control.update(name, { restarts: rounds });
    await new Promise((resolve) => setImmediate(resolve));
  }
  await Promise.all(clients.map((client) => client.ask({ type: "get_snapshot" })));
  for (const { frames } of clients) {
    const snapshots = frames.filter(({ type }) => type === "snapshot");
    expect(snapshots).toHaveLength(2);
    for (const { processes } of snapshots) {
      const shown = processes as { name: string; restarts: number }[];
      expect(shown.map(({ name }) => name)).toEqual(names);
      expect(new Set([0, 2_500, 4_999].map((index) => shown[index]?.restarts)).size).toBe(1);
    }
    for (const index of [0, 2_500, 4_999]) {
      const seen = frames.flatMap((frame) => {
        if (frame.type === "snapshot") return (frame.processes as { restarts: number }[])[index]?.restarts ?? [];
        const process = frame.process as { name: string; restarts: number } | undefined;
        return process !== undefined && process.name === names[index] ? process.restarts : [];
      });
      // In the order of the changes, none left out: each is the one before it, or the next.
      expect(seen.every((value, at) => at === 0 || value === seen[at - 1] || value === (seen[at - 1] ?? 0) + 1)).toBe(true);
      expect(seen.at(-1)).toBe(rounds);
    }
  }
});
