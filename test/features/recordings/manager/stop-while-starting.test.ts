import { expect, it } from "vitest";
import { MgrError } from "../../../../src/base/errors.ts";
import { RecordingCommands } from "../../../../src/features/recordings/manager/recording-commands.ts";
import type { RecordingHosts } from "../../../../src/features/recordings/manager/recording-hosts.ts";
import { SPEC } from "../host/recording-rig.ts";

/** Hosts whose answers to a start the test gives; none has reported anything yet. */
function hostsOf(...names: string[]) {
  const requests: string[] = [];
  const starts = new Map<string, { resolve: () => void; reject: (error: unknown) => void }>();
  const refused = new Set<string>();
  const session = (host: string) => ({
    isOpen: true,
    command: (send: (id: string) => unknown) => send("session"),
    link: {
      request(type: string) {
        requests.push(`${type} ${host}`);
        if (type === "record_start") return new Promise<void>((resolve, reject) => void starts.set(host, { resolve, reject }));
        return refused.has(host) ? Promise.reject(new MgrError("not_found", "no such recording")) : Promise.resolve({});
      },
    },
  });
  const hosts = { ready: new Set(names), require: (host: string) => ({ session: session(host) }), reports: () => new Map() };
  const commands = new RecordingCommands({
    hosts: hosts as unknown as RecordingHosts,
    localHost: "one",
    baseDir: () => "/",
    warn: () => {},
  });
  return { commands, requests, starts, refused };
}

it("a recording that is stopped while its start is under way is stopped on each host that began it", async () => {
  const { commands, requests, starts, refused } = hostsOf("one", "two");
  const started = commands.startEverywhere(SPEC);
  const stopped = commands.stopEverywhere(SPEC.name);
  await new Promise((resolve) => setImmediate(resolve));
  expect(requests).toEqual(["record_start one", "record_start two"]);
  refused.add("two");
  starts.get("one")?.resolve();
  starts.get("two")?.reject(new MgrError("conflict", "the disk is full"));
  await Promise.all([started, stopped]);
  expect(requests.slice(2).sort()).toEqual(["record_stop one", "record_stop two"]);
  // What is stopped is forgotten.
  await commands.stopEverywhere(SPEC.name);
  expect(requests).toHaveLength(4);
});
