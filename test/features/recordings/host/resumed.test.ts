import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { connectBus } from "../../../../src/bus/client/connect-bus.ts";
import { jsonOf } from "../../../../src/bus/client/rpc-envelope.ts";
import { busFiles } from "../../../../src/daemon/bus/bus-files.ts";
import { HostBus } from "../../../../src/daemon/bus/host-bus.ts";
import type { RecordingReport } from "../../../../src/features/recordings/contract.ts";
import { HostRig } from "../../../daemon/support/hosts.ts";
import { SPEC } from "./recording-rig.ts";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "mgr-resumed-"));
  cleanups.push(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function openBus(stateDir: string): Promise<HostBus> {
  const bus = await HostBus.open({ host: "bench", files: busFiles(stateDir), log: () => {}, isHeld: true });
  cleanups.push(() => bus.close());
  return bus;
}

async function openHost(stateDir: string, bus: HostBus): Promise<HostRig> {
  const rig = await HostRig.open({ bus, folders: { state: stateDir, work: stateDir } });
  cleanups.push(() => rig[Symbol.asyncDispose]());
  return rig;
}

async function publisher(bus: HostBus) {
  const { connection } = await connectBus({ server: { kind: "url", urls: [bus.localUrl] }, name: "p", waitForBroker: false });
  cleanups.push(() => connection.close());
  return async (count: number) => {
    for (let n = 0; n < count; n++) connection.publish("topic.arm.state", "{}");
    await connection.flush();
  };
}

async function reportOf({ host, session }: HostRig): Promise<RecordingReport> {
  const { data } = await host.request("recordings", { session });
  const [report] = jsonOf(data) as RecordingReport[];
  if (report === undefined) throw new Error("the host has no recording");
  return report;
}

/** A state folder as a daemon leaves it that is killed while it records; `count` messages are on the disk. */
async function leftByKilled(count: number): Promise<string> {
  const stateDir = newFolder();
  const bus = await openBus(stateDir);
  const rig = await openHost(stateDir, bus);
  await rig.host.request("record_start", { session: rig.session, spec: { ...SPEC, name: "main" } });
  const publish = await publisher(bus);
  await publish(count);
  const [file] = (await reportOf(rig)).files;
  const path = join(stateDir, "recordings", "main", file?.file ?? "");
  const onDisk = async () => (await readFile(path, "latin1").catch(() => "")).split("{}").length - 1;
  await expect.poll(onDisk, { timeout: 60_000 }).toBe(count);
  const left = newFolder();
  cpSync(stateDir, left, { recursive: true });
  return left;
}

it("after kill -9 a daemon accepts no message before its recordings run again, without a manager; messages of the killed daemon count on", async () => {
  const stateDir = await leftByKilled(5);
  const bus = await openBus(stateDir);
  // It connects before there is a recording.
  const program = publisher(bus);
  const rig = await openHost(stateDir, bus);
  const publish = await program;
  await publish(3);
  expect(await reportOf(rig)).toMatchObject({
    state: "recording",
    problem: null,
    messages: 8,
    missed: 0,
    dropped: 0,
    topics: [{ name: "arm/state", messages: 8 }],
    files: [
      { messages: 5, is_repaired: true },
      { messages: 3, is_growing: true },
    ],
  });
});

it("a daemon that ends in order does not record again when it is started, and its messages are counted from the files", async () => {
  const stateDir = newFolder();
  const bus = await openBus(stateDir);
  const rig = await openHost(stateDir, bus);
  await rig.host.request("record_start", { session: rig.session, spec: { ...SPEC, name: "main" } });
  const publish = await publisher(bus);
  await publish(4);
  await rig.host.close();
  await bus.close();
  const next = await openHost(stateDir, await openBus(stateDir));
  expect(await reportOf(next)).toMatchObject({ state: "stopped", started_at: null, messages: 4, files: [{ messages: 4 }] });
});

it("a recording that cannot continue after kill -9 reports why, and the bus opens nevertheless", async () => {
  const stateDir = await leftByKilled(1);
  rmSync(join(stateDir, "recordings"), { recursive: true });
  writeFileSync(join(stateDir, "recordings"), "");
  const bus = await openBus(stateDir);
  const program = publisher(bus);
  const rig = await openHost(stateDir, bus);
  const publish = await program;
  await publish(1);
  expect(await reportOf(rig)).toMatchObject({ state: "error", problem: expect.stringContaining("cannot be recorded"), messages: 0 });
});
