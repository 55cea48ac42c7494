import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { readMcap } from "../../features/recordings/samples/mcap/independent-reader.ts";
import { BusProgram } from "../support/bus-program.ts";
import type { Client, Frame } from "../support/client.ts";
import { type Foreground, Instance } from "../support/instance.ts";
import { ECHO } from "../support/shell.ts";
import { eventually } from "../support/wait.ts";

interface Shown {
  readonly name: string;
  readonly state: string;
  readonly problem: string | null;
  readonly messages: number;
  readonly topics: readonly { name: string; messages: number; missed: number }[];
  readonly files: readonly { host: string; file: string; size: number; messages: number; is_growing: boolean; is_repaired: boolean }[];
}

const RECORD = { topics: ["arm/*"], terminals: ["echo"], include: ["processes", "log"], min_free_space: 0 };
const FLIGHT = { triggers: { crash: { on: "crash", before: "30s", after: 0 } } };
/** Python programs that print the positions in an exported file. */
const POSITIONS = {
  csv: `import csv,io,sys,zipfile
with zipfile.ZipFile(sys.argv[1]).open("arm/state.csv") as file: print([float(row["position"]) for row in csv.DictReader(io.TextIOWrapper(file, "utf-8"))])`,
  raw: `import json,struct,sys,tarfile
data, at, found = tarfile.open(sys.argv[1]).extractfile("arm/state.bin").read(), 0, []
while at < len(data):
    length, = struct.unpack_from("<I", data, at)
    found.append(json.loads(data[at + 28 : at + 28 + length])["position"])
    at += 28 + length
print([float(position) for position in found])`,
  matlab: `import scipy.io,sys
print([float(x) for x in scipy.io.loadmat(sys.argv[1])["arm_state"]["fields"][0,0]["position"][0,0].ravel()])`,
};
let instance: Instance & { foreground: Foreground };
let client: Client;
let program: BusProgram;

beforeAll(async () => {
  const processes = { echo: { command: ECHO }, boom: { command: "echo 'µ going down'; exit 3" } };
  instance = await Instance.up({ processes, record: RECORD, flight: FLIGHT } as never);
  client = await instance.connect();
  program = await BusProgram.start(instance.stateDir);
});
afterAll(() => program?.end());
afterAll(() => instance?.[Symbol.asyncDispose]());

async function shown(name = "main"): Promise<Shown | undefined> {
  const { recordings } = await client.ask({ type: "request_recordings" });
  return (recordings as Shown[]).find((recording) => recording.name === name);
}

const armOf = (recording: Shown | undefined) => recording?.topics.find(({ name }) => name === "arm/state")?.messages ?? 0;

async function download({ host, file }: { host: string; file: string }, name = "main", init: RequestInit = {}) {
  const query = new URLSearchParams({ name, host, file });
  const response = await instance.fetch(`/mgr/recording?${query}`, init);
  return { response, bytes: Buffer.from(await response.arrayBuffer()) };
}

it("a recording of the configuration runs, continues without a manager, and is continued by the next manager", async () => {
  await eventually("it records", async () => (await shown())?.state === "recording");
  program.publish(1);
  await eventually("the message is counted", async () => armOf(await shown()) === 1);
  instance.kill("manager");
  await instance.foreground.ended;
  // The broker has taken it when the program is answered.
  program.publish(2);
  await program.flush();
  // As a manager leaves it that is killed while it writes a download.
  const downloads = join(instance.stateDir, "downloads");
  mkdirSync(join(downloads, "mgr-logger-x"), { recursive: true });
  writeFileSync(join(downloads, "mgr-logger-x", "ring-0"), "samples");
  const next = instance.start("up", "--no-output", "-c", instance.config);
  await next.up();
  client = await instance.connect();
  expect(existsSync(downloads)).toBe(false);
  await eventually("both are counted", async () => armOf(await shown()) === 2);
  expect(await shown()).toMatchObject({ state: "recording", problem: null });
});

it("one file has topics, lines of terminals, states of processes and the log, and is read by ranges while it grows", async () => {
  await client.command({ type: "start_process", name: "echo" });
  await eventually("it runs", async () => (await client.process("echo")).state === "started");
  await client.command({ type: "send_stdin", name: "echo", text: "größe 5 µm\r" });
  await eventually("the line is recorded", async () => {
    const topics = (await shown())?.topics.map(({ name }) => name) ?? [];
    return ["mgr/terminals/echo", "mgr/processes", "mgr/log"].every((name) => topics.includes(name));
  });
  const [growing] = (await shown())?.files ?? [];
  if (growing === undefined) throw new Error("there is no file");
  expect(growing.is_growing).toBe(true);
  await eventually("its beginning is on the disk", async () => {
    const { response, bytes } = await download(growing, "main", { headers: { range: "bytes=0-7" } });
    return response.status === 206 && bytes.toString("latin1").startsWith("\x89MCAP0\r\n");
  });

  expect(await client.ask({ type: "stop_recording", name: "main" })).toMatchObject({ ok: true, action: "stop", name: "main" });
  const stopped = await shown();
  const [file] = stopped?.files ?? [];
  if (file === undefined) throw new Error("there is no file");
  expect(stopped).toMatchObject({ state: "idle", files: [{ is_growing: false, is_repaired: false }] });
  const { response, bytes } = await download(file);
  expect(response.status).toBe(200);
  expect(bytes).toHaveLength(file.size);
  expect(response.headers.get("content-disposition")).toContain(file.file);
  const { messages } = readMcap(bytes);
  const bodies = (topic: string) => messages.filter((message) => message.topic === topic).map(({ data }) => data.toString());
  expect(bodies("arm/state")).toEqual(['{"position":1}', '{"position":2}']);
  expect(bodies("mgr/terminals/echo").join("\n")).toContain("größe 5 µm");
  expect(messages.find(({ topic }) => topic === "mgr/terminals/echo")?.schema).toBe("foxglove.Log");
  expect(bodies("mgr/processes").some((body) => body.includes('"name":"echo"'))).toBe(true);
  expect(bodies("mgr/log").length).toBeGreaterThan(0);
  const middle = await download(file, "main", { headers: { range: "bytes=100-299" } });
  expect(middle.response.headers.get("content-range")).toBe(`bytes 100-299/${bytes.length}`);
  expect(middle.bytes).toEqual(bytes.subarray(100, 300));
  expect((await download(file, "main", { headers: { range: `bytes=${bytes.length}-` } })).response.status).toBe(416);
  expect((await download({ ...file, file: "../../mgr.yaml" })).response.status).toBe(404);
});

it("frames start, stop and delete recordings, and refusals are reported", async () => {
  const name = "größe/Ω";
  const start = client.here;
  const request = { type: "start_recording", name, topics: ["arm/*"], min_free_space: 0 };
  expect(await client.ask(request)).toMatchObject({ type: "recording_action_result", ok: true, action: "start", name });
  expect(await client.ask(request)).toMatchObject({ ok: false, code: "conflict" });
  program.publish(3);
  const isIt = (frame: Frame) => frame.type === "recording_upsert" && (frame.recording as Shown).name === name;
  await client.until("it counts", (frame) => isIt(frame) && (frame.recording as Shown).messages > 0, start);
  expect(await client.ask({ type: "delete_recording", name })).toMatchObject({ ok: false, code: "conflict" });
  expect(await client.ask({ type: "stop_recording", name: "none" })).toMatchObject({ ok: false, code: "not_found" });
  await client.ask({ type: "stop_recording", name });
  const [file] = (await shown(name))?.files ?? [];
  expect(await client.ask({ type: "delete_recording", name, file: "none.mcap" })).toMatchObject({ ok: false, code: "not_found" });
  expect(await client.ask({ type: "delete_recording", name, file: file?.file })).toMatchObject({ ok: true, action: "delete" });
  expect((await shown(name))?.files).toEqual([]);
  expect(await client.ask({ type: "delete_recording", name })).toMatchObject({ ok: true });
  await client.until("it is gone", (frame) => frame.type === "recording_remove" && frame.name === name, start);
  const full = await client.ask({ ...request, min_free_space: Number.MAX_SAFE_INTEGER });
  expect(full).toMatchObject({ ok: false, code: "conflict", message: expect.stringContaining("min_free_space") });
});

it("mgr record starts, lists, shows, stops, exports and deletes a recording", async () => {
  const run = (command: string, ...args: string[]) => instance.run("record", command, "-c", instance.config, ...args);
  const done = async (command: string, ...args: string[]) => {
    const { code, stdout, stderr } = await run(command, ...args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    return stdout;
  };
  const start = ["run/1", "arm/*", "--include", "log,processes", "--max-size", "1MiB", "--max-duration", "10m", "--min-free-space", "0"];
  expect(await done("start", ...start)).toBe("run/1: recording\n");
  expect(await run("start", "x", "--include", "logs")).toMatchObject({ code: 2, stderr: expect.stringContaining("processes,log") });
  for (const position of [0.5, -1.5, 2.5]) program.publish(position);
  await eventually("they are counted", async () => armOf(await shown("run/1")) === 3);
  expect(await done("list", "run")).toMatch(/^RECORDING +STATE[\s\S]*run\/1 +recording .* arm\/\*\n$/);
  expect(await done("stop", "run/1")).toMatch(/^run\/1: stopped, 1 file, [\d.]+ [kM]?B\n$/);
  expect(await run("info", "run/2")).toMatchObject({ code: 3, stderr: "mgr: there is no recording 'run/2'; did you mean 'run/1'?\n" });
  expect(await done("info", "run/1")).toMatch(/TOPIC +HOST[\s\S]*arm\/state .* 3 +0 +0\n[\s\S]*\.mcap/);

  const copy = join(instance.dir, "copy.mcap");
  expect(await done("export", "run/1", "--output", copy)).toBe(`${copy}\n`);
  const sent = readMcap(readFileSync(copy)).messages.filter(({ topic }) => topic === "arm/state");
  expect(sent.map(({ data }) => JSON.parse(data.toString()).position)).toEqual([0.5, -1.5, 2.5]);
  expect(await done("info", copy)).toMatch(/arm\/state +3 +0 +0 +json +ArmState/);
  expect(await run("export", "run/1", "--output", copy)).toMatchObject({ code: 1, stderr: expect.stringContaining("exists") });
  const pickle = join(instance.dir, "run.pickle");
  // A file of this machine needs no manager.
  await done("export", copy, "--format", "pickle", "--topic", "arm/*", "--output", pickle);
  const program3 =
    "import pickle,sys;t=pickle.load(open(sys.argv[1],'rb'))['topics'];print(sorted(t),list(t['arm/state']['fields']['position']))";
  expect(execFileSync("/usr/bin/python3", ["-c", program3, pickle], { encoding: "utf8" })).toBe("['arm/state'] [0.5, -1.5, 2.5]\n");
  for (const [format, read] of Object.entries(POSITIONS)) {
    const file = join(instance.dir, `run.${format}`);
    await done("export", "run/1", "--format", format, "--topic", "arm/*", "--output", file);
    expect(execFileSync("/usr/bin/python3", ["-c", read, file], { encoding: "utf8" })).toBe("[0.5, -1.5, 2.5]\n");
  }
  expect(await run("export", copy, "--format", "csv", "--topic", "none/*")).toMatchObject({ code: 3 });
  // It gets another file.
  await client.ask({ type: "start_recording", name: "run/1", topics: ["arm/*"], min_free_space: 0 });
  program.publish(4);
  await eventually("it is counted", async () => armOf(await shown("run/1")) === 1);
  await client.ask({ type: "stop_recording", name: "run/1" });
  const both = join(instance.dir, "both.mcap");
  expect(await done("export", "run/1", both)).toBe(`${both}, of 2 files\n`);
  const merged = readMcap(readFileSync(both));
  const positions = merged.messages.filter(({ topic }) => topic === "arm/state").map(({ data }) => JSON.parse(data.toString()).position);
  expect(positions).toEqual([0.5, -1.5, 2.5, 4]);
  expect(merged.metadata.find(({ name }) => name === "mgr.recording")?.values).toMatchObject({ recording: "run/1", damaged_files: "" });
  expect(readdirSync(instance.dir).filter((file) => file.endsWith(".part"))).toEqual([]);
  expect(await done("delete", "run/1")).toBe("run/1: deleted\n");
  expect(await shown("run/1")).toBeUndefined();
});

it("mgr record refuses a pattern as a name, lists without a name, and accepts the file of an export as an argument", async () => {
  const run = (command: string, ...args: string[]) => instance.run("record", command, "-c", instance.config, ...args);
  expect(await run("start", "my/*", "arm/*")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("is the name of the recording. Use: mgr record start NAME 'my/*' 'arm/*'"),
  });
  expect(await run("stop")).toMatchObject({
    code: 2,
    stdout: expect.stringMatching(/^RECORDING +STATE[\s\S]*main +/),
    stderr: expect.stringContaining("mgr record stop NAME"),
  });
  const damaged = join(instance.dir, "damaged.mcap");
  writeFileSync(damaged, Buffer.from("\x89MCAP0\r\nnonsense", "latin1"));
  const other = join(instance.dir, "other.mcap");
  writeFileSync(other, "not an MCAP file");
  for (const file of [damaged, other]) {
    const { code, stderr } = await run("export", file, join(instance.dir, "x.zip"), "--format", "csv");
    expect(code).not.toBe(0);
    expect(stderr).toMatch(/^mgr: .+\n$/);
  }
  const deep = "deep/1";
  await client.ask({ type: "start_recording", name: deep, topics: ["arm/*"], min_free_space: 0 });
  program.publish(1);
  program.publishText(`{"position":${"[".repeat(20_000)}${"]".repeat(20_000)}}`);
  await program.flush();
  await eventually("they are counted", async () => armOf(await shown(deep)) === 2);
  await client.ask({ type: "stop_recording", name: deep });
  const file = join(instance.dir, "deep.mat");
  expect(await run("export", deep, file, "--format", "mat", "--topic", "arm/*")).toMatchObject({
    code: 0,
    stderr: "",
    stdout: `${file}\n`,
  });
  expect(execFileSync("/usr/bin/python3", ["-c", POSITIONS.matlab, file], { encoding: "utf8" })).toBe("[1.0, nan]\n");
  expect(await run("export", deep, file, "-o", file)).toMatchObject({ code: 2, stderr: expect.stringContaining("give the file once") });
});

it("mgr logger configures, starts, lists, downloads, stops and deletes a logger", async () => {
  const run = (command: string, ...args: string[]) => instance.run("logger", command, "-c", instance.config, ...args);
  const done = async (command: string, ...args: string[]) => {
    const { code, stdout, stderr } = await run(command, ...args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    return stdout;
  };
  const topic = async () => {
    const { loggers } = (await client.ask({ type: "request_loggers" })) as {
      loggers?: { topics: { active: boolean; n_samples: number }[] }[];
    };
    return loggers?.[0]?.topics[0];
  };
  expect(await run("configure", "last", "radar/*")).toMatchObject({ code: 3, stderr: expect.stringContaining("matches no topic") });
  expect(await done("configure", "last", "arm/*", "--log-size", "2")).toBe("last: arm/state\n");
  expect(await done("start", "last")).toBe("last: started\n");
  await eventually("it is active", async () => {
    program.publish(0);
    return (await topic())?.active === true;
  });
  for (const position of [1, -0.25, 3]) program.publish(position);
  await program.flush();
  await eventually("two are kept", async () => (await topic())?.n_samples === 2);
  expect(await done("list")).toMatch(/^LOGGER +STATE[\s\S]*last +started +arm\/state +2 +2 +1 +messages +yes +ArmState\n$/);
  expect(await run("configure", "last", "arm/*")).toMatchObject({ code: 1, stderr: expect.stringMatching(/stop/i) });
  const file = join(instance.dir, "last.pickle");
  expect(await done("download", "last", "-o", file, "--stop")).toMatch(new RegExp(`^${file}: \\d+ bytes\n$`));
  const read = "import pickle,sys;print(list(pickle.load(open(sys.argv[1],'rb'))['topics']['arm/state']['fields']['position']))";
  expect(execFileSync("/usr/bin/python3", ["-c", read, file], { encoding: "utf8" })).toBe("[-0.25, 3.0]\n");
  expect((await topic())?.active).toBe(false);
  expect(await run("download", "lats")).toMatchObject({ code: 3, stderr: "mgr: there is no logger 'lats'; did you mean 'last'?\n" });
  expect(await done("delete", "last")).toBe("last: deleted\n");
  expect(await topic()).toBeUndefined();
});

it("a crash makes an incident with topics and terminals, and mgr snapshot another one; both files are downloaded", async () => {
  const incidents = async () =>
    (await client.ask({ type: "request_incidents" })).incidents as { id: string; state: string; note: string }[];
  program.publish(41);
  program.publish(42);
  await program.flush();
  await client.command({ type: "start_process", name: "boom" });
  await eventually("the incident is complete", async () => (await incidents())[0]?.state === "complete");
  const [crash] = await incidents();
  expect(crash).toMatchObject({
    triggers: [{ trigger: "crash", text: "boom crashed: exit code 3", fired: 1 }],
    hosts: [{ state: "merged" }],
  });
  const run = (...args: string[]) => instance.run(...args, "-c", instance.config);
  const saved = join(instance.dir, "crash.mcap");
  expect(await run("incidents", "save", crash?.id ?? "", saved)).toMatchObject({ code: 0, stdout: `${saved}\n`, stderr: "" });
  expect(await run("incidents", "save", crash?.id ?? "", saved)).toMatchObject({ code: 1, stderr: expect.stringContaining("exists") });
  const { messages, metadata } = readMcap(readFileSync(saved));
  const bodies = (topic: string) => messages.filter((message) => message.topic === topic).map(({ data }) => data.toString());
  expect(bodies("arm/state").slice(-2)).toEqual(['{"position":41}', '{"position":42}']);
  expect(bodies("mgr/terminal/boom").join("")).toContain("µ going down");
  expect(metadata.find(({ name }) => name === "mgr.incident")?.values).toMatchObject({ id: crash?.id });

  const copy = join(instance.dir, "odd.mcap");
  // On a slow machine those from before the crash may be older than a minute.
  for (const position of [43, 44]) program.publish(position);
  await program.flush();
  const made = await run("snapshot", "--note", "arm vibrates", "--before", "1m", "-o", copy);
  expect(made).toMatchObject({ code: 0, stderr: "" });
  expect(made.stdout).toMatch(/^incident +\S+-manager-\d+\nstate +complete\nnote +arm vibrates\n/);
  expect(readMcap(readFileSync(copy)).messages.filter(({ topic }) => topic === "arm/state").length).toBeGreaterThanOrEqual(2);
  expect((await run("incidents")).stdout).toMatch(/complete .* arm vibrates\n.*complete .* boom crashed: exit code 3\n$/);
  expect(await run("incidents", "show", "2")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("is the beginning of 2 incidents"),
  });
  expect(await run("incidents", "show", "none")).toMatchObject({ code: 3, stderr: expect.stringContaining("there is no incident 'none'") });
  const [snapshot] = await incidents();
  expect(await run("incidents", "pin", snapshot?.id ?? "")).toMatchObject({ code: 0, stdout: `${snapshot?.id}: pinned\n` });
  expect(await run("incidents", "rm", snapshot?.id ?? "")).toMatchObject({ code: 0, stdout: `${snapshot?.id}: deleted\n` });
  expect((await incidents()).map(({ id }) => id)).toEqual([crash?.id]);
  expect((await run("incidents", "hosts")).stdout).toMatch(/^HOST +MEMORY[\s\S]* ms\n$/);
});

it("after kill -9 of the daemon, its file is complete and reported as repaired, and another one begins", async () => {
  expect(await client.ask({ type: "start_recording", name: "main" })).toMatchObject({ ok: true });
  const before = (await shown())?.files.length ?? 0;
  for (let n = 1; n <= 20; n++) program.publish(n);
  await eventually("they are on the disk", async () => {
    const growing = (await shown())?.files.find(({ is_growing }) => is_growing);
    return growing !== undefined && (await download(growing)).bytes.includes('{"position":20}');
  });
  // The daemon reports its counts twice a second, and writes in between.
  await eventually("they are counted", async () => armOf(await shown()) === 20);
  instance.kill("daemon");
  await eventually("the file is repaired", async () => (await shown())?.files.some(({ is_repaired }) => is_repaired) === true);
  const repaired = (await shown())?.files.find(({ is_repaired }) => is_repaired);
  if (repaired === undefined) throw new Error("no file is repaired");
  const { messages } = readMcap((await download(repaired)).bytes);
  expect(messages.filter(({ topic }) => topic === "arm/state")).toHaveLength(20);
  await eventually("it records again", async () => (await shown())?.state === "recording");
  await expect.poll(async () => armOf(await shown())).toBe(20);
  expect((await shown())?.files.length).toBeGreaterThanOrEqual(before + 1);
});
