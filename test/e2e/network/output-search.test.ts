import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Client } from "../support/client.ts";
import { Instance } from "../support/instance.ts";
import { sh } from "../support/shell.ts";
import { eventually } from "../support/wait.ts";

const HOST = "rt1";

interface Hit {
  readonly name: string;
  readonly host: string;
  readonly line: string;
  readonly file: object | null;
}

let searches = 0;

/** Searches all hosts; resolves with the hits, sorted by process, and the answer. */
async function searched(client: Client, query: object): Promise<{ hits: Hit[]; done: Record<string, unknown> }> {
  const search = `search ${++searches}`;
  const done = await client.ask({ type: "search_output", search, ...query });
  const hits = client.frames.flatMap((frame) =>
    frame.type === "search_output_hits" && frame.search === search ? (frame.hits as Hit[]) : [],
  );
  return { hits: hits.toSorted((a, b) => (a.name < b.name ? -1 : 1)), done };
}

test("one search covers two hosts: memory of one, a log file of the other; a host that is killed meanwhile is named later", async () => {
  const lines = (last: string) => sh(`seq -f 'step %.0f' 1 2000; echo ${last}; exec sleep 1000`);
  await using instance = new Instance({
    hosts: { [HOST]: { token_file: "rt1.token" } },
    processes: {
      here: { command: lines("the arm is lost"), autostart: true },
      there: { command: lines("the leg is lost"), node: HOST, autostart: true, log_file: "there.log" },
    },
  });
  writeFileSync(join(instance.dir, "rt1.token"), `${randomBytes(24).toString("hex")}\n`, { mode: 0o600 });
  await instance.mgr("up", "--detach");
  const bus = instance.url.replace(/^http/, "ws");
  const token = join(instance.dir, "rt1.token");
  const daemon = instance.start(
    "daemon",
    "--host",
    HOST,
    "--bus",
    bus,
    "--token-file",
    token,
    "--state-dir",
    join(instance.dir, "rt1-state"),
  );
  const client = await instance.connect();
  const query = { pattern: "the (arm|leg) is lost", regex: true };
  const { hits, done } = await eventually("both have printed their last line", async () => {
    const found = await searched(client, query);
    return found.hits.length === 2 ? found : null;
  });
  expect(hits).toMatchObject([
    { name: "here", line: "the arm is lost", file: null },
    { name: "there", host: HOST, line: "the leg is lost", file: { path: expect.stringContaining("there.log") } },
  ]);
  expect(hits[0]?.host).not.toBe(HOST);
  expect(done).toMatchObject({ hits: 2, cancelled: false, truncated: [], unanswered: [], problems: [] });
  const progress = client.frames.findLast(({ type }) => type === "search_output_progress");
  expect(progress).toMatchObject({ hosts: 2, hosts_done: 2 });
  // The limit counts the hits of all hosts together.
  expect((await searched(client, { pattern: "step", limit: 1_500 })).done).toMatchObject({ hits: 1_500 });
  expect((await searched(client, { ...query, names: ["there"] })).hits.map(({ host }) => host)).toEqual([HOST]);

  daemon.child.kill("SIGKILL");
  await daemon.ended;
  const rest = await eventually("the host is missed", async () => {
    const found = await searched(client, query);
    return (found.done.unanswered as object[]).length === 1 ? found : null;
  });
  expect(rest.hits.map(({ name }) => name)).toEqual(["here"]);
  expect(rest.done).toMatchObject({ unanswered: [{ host: HOST, reason: expect.any(String) }] });
});
