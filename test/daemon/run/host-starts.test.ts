import { expect, it } from "vitest";
import { Host } from "../../../src/daemon/host.ts";
import { processesWith, uniqueSeconds } from "../../support/processes.ts";
import { reportedBy, spec } from "../support/hosts.ts";

function open() {
  const host = new Host({ host: "bench", subreaper: false, log: () => {} });
  const hello = () => host.request("hello", { epoch: 1, manager_pid: 1, contracts: [1] });
  return { host, hello };
}

it("a host that is closed while a program is being started leaves no process of it", async () => {
  const seconds = uniqueSeconds();
  const { host, hello } = open();
  const { session } = await hello();
  let closing: Promise<void> | undefined;
  // The very moment at which it came up, when the table does not hold it yet.
  host.listen({
    onEvent: ({ kind }) => {
      if (kind === "spawned") closing = host.close();
    },
  });
  await host.request("spawn", { session, run_id: "1-1", spec: spec("a", `exec sleep ${seconds}`), memo: "" });
  expect(closing).toBeDefined();
  await closing;
  expect(processesWith(seconds)).toEqual([]);
});

it("a stop during the start of its run is carried out on the started program", async () => {
  const seconds = uniqueSeconds();
  const { host, hello } = open();
  const { session } = await hello();
  const kinds: string[] = [];
  const extinct = new Promise<void>((resolve) => {
    host.listen({
      onEvent: (event) => {
        kinds.push(...reportedBy(event));
        if (kinds.includes("extinct")) resolve();
      },
    });
  });
  const spawned = host.request("spawn", { session, run_id: "1-1", spec: spec("a", `exec sleep ${seconds}`), memo: "" });
  expect(await host.request("stop", { session, run_id: "1-1", steps: [{ signal: "SIGTERM", timeout_ms: 5_000 }] })).toEqual({});
  await spawned;
  await extinct;
  expect(kinds).toEqual(["spawned", "stopping", "exited", "extinct"]);
  expect(processesWith(seconds)).toEqual([]);
  await host.close();
});
