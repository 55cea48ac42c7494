import { expect, test } from "vitest";
import type { HostTable } from "../../../../src/app/hosts/host-table.ts";
import { OutputEnds } from "../../../../src/features/output-runs/manager/output-ends.ts";
import type { ViewMode } from "../../../../src/transport/view.ts";
import { testClock } from "../../../actors/support/clock.ts";

const FULL: ViewMode = { kind: "full" };
const NEVER = new Promise<never>(() => {});

/** A manager with hosts that answer as the test says; `asked`: the requests, as `host after`. */
function rig() {
  const clock = testClock();
  const asked: string[] = [];
  const answers = new Map<string, () => Promise<{ ends: [string, number][]; next: number }>>();
  const streams = new Map<string, string>();
  const hosts = new Map<string, object>();
  const addHost = (host: string, answer: Parameters<typeof answers.set>[1]) => {
    answers.set(host, answer);
    streams.set(host, `${host}-1`);
    const session = {
      isOpen: true,
      get streamId() {
        return streams.get(host) ?? null;
      },
      command: (run: (id: string) => unknown) => run("session"),
      link: {
        request: (_name: string, { after }: { after: number }) => {
          asked.push(`${host} ${after}`);
          return answers.get(host)?.() ?? NEVER;
        },
      },
    };
    hosts.set(host, { controller: { session } });
  };
  const processes = {
    outputHostOf: (name: string) => (name.startsWith("far/") ? "far" : "near"),
    process: (name: string) => (name === "removed" ? undefined : ({} as never)),
  };
  return { clock, asked, answers, streams, addHost, ends: new OutputEnds({ clock, hosts: hosts as unknown as HostTable, processes }) };
}

test("hosts are asked once a second however many clients there are, and for what is new only", async () => {
  const { clock, asked, answers, addHost, ends } = rig();
  addHost("near", async () => ({ ends: [["a", 5]], next: 1 }));
  const [first, second] = await Promise.all([ends.since(undefined, FULL), ends.since(undefined, FULL)]);
  expect(first.ends).toEqual([{ name: "a", offset: 5, stream_id: "near-1" }]);
  expect(second).toEqual(first);
  clock.advance(1_000);
  answers.set("near", async () => ({ ends: [["b", 3]], next: 2 }));
  expect((await ends.since(first.next, FULL)).ends).toEqual([{ name: "b", offset: 3, stream_id: "near-1" }]);
  expect(asked).toEqual(["near 0", "near 1"]);
  expect((await ends.since("of another manager.1", FULL)).ends).toHaveLength(2);
});

test("an answer has only what is in view, what is configured, and no output that a process left on an earlier host", async () => {
  const { addHost, ends } = rig();
  addHost("near", async () => ({
    ends: [
      ["sim/a", 1],
      ["b", 1],
      ["far/c", 1],
      ["removed", 1],
    ],
    next: 4,
  }));
  const names = async (view: ViewMode) => (await ends.since(undefined, view)).ends.map(({ name }) => name);
  expect(await names(FULL)).toEqual(["sim/a", "b"]);
  expect(await names({ kind: "single_group", name: "sim" })).toEqual(["sim/a"]);
});

test("after a new daemon, its host is asked for everything", async () => {
  const { clock, asked, streams, addHost, ends } = rig();
  addHost("near", async () => ({ ends: [["a", 5]], next: 7 }));
  const { next } = await ends.since(undefined, FULL);
  clock.advance(1_000);
  streams.set("near", "near-2");
  expect((await ends.since(next, FULL)).ends).toEqual([{ name: "a", offset: 5, stream_id: "near-2" }]);
  expect(asked).toEqual(["near 0", "near 0"]);
});

test("a host that does not answer delays the others by a second at most, and is not asked again meanwhile", async () => {
  const { clock, asked, addHost, ends } = rig();
  addHost("near", async () => ({ ends: [["a", 5]], next: 1 }));
  addHost("far", () => NEVER);
  const answer = ends.since(undefined, FULL);
  await Promise.resolve();
  clock.advance(1_000);
  expect((await answer).ends.map(({ name }) => name)).toEqual(["a"]);
  const again = ends.since(undefined, FULL);
  await Promise.resolve();
  clock.advance(1_000);
  await again;
  expect(asked.filter((each) => each.startsWith("far"))).toEqual(["far 0"]);
});

test("a host that fails has nothing new", async () => {
  const { addHost, ends } = rig();
  addHost("near", () => Promise.reject(new Error("lost")));
  expect((await ends.since(undefined, FULL)).ends).toEqual([]);
});
