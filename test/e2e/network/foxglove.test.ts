import { once } from "node:events";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { FoxgloveClient } from "@foxglove/ws-protocol";
import { afterAll, beforeAll, expect, it } from "vitest";
import { WebSocket } from "ws";
import { parse } from "yaml";
import { BusProgram } from "../support/bus-program.ts";
import type { Client } from "../support/client.ts";
import { exampleOf, runDocument } from "../support/document-commands.ts";
import { Instance } from "../support/instance.ts";
import { eventually } from "../support/wait.ts";

interface File {
  readonly host: string;
  readonly file: string;
}

const DOCUMENT = "docs/foxglove.md";
const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
/** The settings of the document; name, port and logins are those of the test. */
const EXAMPLE = parse(/```yaml\n(.*?)```/s.exec(readFileSync(join(ROOT, DOCUMENT), "utf8"))?.[1] ?? "") as {
  instance: { allowed_origins: string[] };
};

let instance: Instance;
let client: Client;
let program: BusProgram;

beforeAll(async () => {
  const { allowed_origins } = EXAMPLE.instance;
  // The program of the document, with mgr in its node_modules.
  const processes = { poses: { command: [process.execPath, "poses.mjs"] } };
  instance = await Instance.up({ instance: { allowed_origins }, processes, record: { topics: ["arm/*"], min_free_space: 0 } } as never);
  client = await instance.connect();
  program = await BusProgram.start(instance.stateDir);
});
afterAll(() => program?.end());
afterAll(() => instance?.[Symbol.asyncDispose]());

async function urlToken(name: string, role: string, more: { may_download?: true } = {}): Promise<string> {
  const { secret } = await client.ask({ type: "create_access_token", name, role, for_url: true, ...more });
  return String(secret);
}

/** What the log and the audit say. */
async function records(): Promise<string> {
  const { code, stdout } = await instance.run("audit", "--json", "-n", "1000", "-c", instance.config);
  expect(code).toBe(0);
  return readFileSync(join(instance.stateDir, "manager.log"), "utf8") + stdout;
}

it("the example of docs/foxglove.md shows the pose of a program to a viewer of another site", async () => {
  const [outcome] = await runDocument(instance, DOCUMENT);
  expect(outcome).toMatchObject({ code: 0, stderr: "" });
  const [token = ""] = /mgr_\S+/.exec(outcome?.stdout ?? "") ?? [];
  const [address = ""] = /ws:\/\/HOST:PORT\S+/.exec(readFileSync(join(ROOT, DOCUMENT), "utf8")) ?? [];
  mkdirSync(join(instance.dir, "node_modules"));
  symlinkSync(ROOT, join(instance.dir, "node_modules/mgr"));
  writeFileSync(join(instance.dir, "poses.mjs"), exampleOf(DOCUMENT, "Messages that panels know", "js"));
  await client.ask({ type: "start_process", name: "poses" });

  const url = address.replace("HOST:PORT", new URL(instance.url).host).replace("TOKEN", token);
  const ws = new WebSocket(url, ["foxglove.sdk.v1"], { origin: EXAMPLE.instance.allowed_origins[0] ?? "" });
  const viewer = new FoxgloveClient({ ws: ws as unknown as ConstructorParameters<typeof FoxgloveClient>[0]["ws"] });
  const shown = new Promise<object>((resolve) => {
    viewer.on("advertise", (channels) => {
      const pose = channels.find(({ topic }) => topic === "arm/pose");
      if (pose === undefined) return;
      expect(pose).toMatchObject({ encoding: "json", schemaName: "foxglove.PoseInFrame", schemaEncoding: "jsonschema" });
      expect(JSON.parse(pose.schema)).toMatchObject({ title: "foxglove.PoseInFrame" });
      viewer.subscribe(pose.id);
    });
    viewer.on("message", ({ data }) => resolve(JSON.parse(Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString())));
  });
  expect(await shown).toMatchObject({ frame_id: "base", pose: { position: { x: 0.4 } } });
  ws.terminate();
});

it("a viewer publishes a topic, which the audit records without the token of the URL", async () => {
  const token = await urlToken("desk", "operator");
  const ws = new WebSocket(`${instance.url.replace(/^http/, "ws")}/mgr/foxglove?token=${token}`, ["foxglove.sdk.v1"]);
  const viewer = new FoxgloveClient({ ws: ws as unknown as ConstructorParameters<typeof FoxgloveClient>[0]["ws"] });
  const advertised = new Promise<string>((resolve) => {
    viewer.on("advertise", (channels) => {
      const found = channels.find(({ topic }) => topic === "desk/goal");
      if (found !== undefined) resolve(found.schema);
    });
  });
  await once(ws, "open");
  const schema = JSON.stringify({ type: "object", properties: { x: { type: "number" } } });
  const id = viewer.advertise({ topic: "desk/goal", encoding: "json", schemaName: "Goal", schemaEncoding: "jsonschema", schema });
  viewer.sendMessage(id, new TextEncoder().encode('{"x":1}'));
  expect(JSON.parse(await advertised)).toEqual(JSON.parse(schema));
  ws.terminate();
  // The topic may be announced before its first message is published.
  await expect.poll(records).toContain('"publish_topic"');
  expect(await records()).not.toContain(token);
});

it("a viewer reads ranges of a recording by an access token in the URL, which appears in neither log nor audit", async () => {
  const token = await urlToken("files", "viewer", { may_download: true });
  const looking = await urlToken("looking", "viewer");
  const files = async () => ((await client.ask({ type: "request_recordings" })).recordings as { files: File[] }[])[0]?.files ?? [];
  program.publish(1);
  await eventually("there is a file", async () => (await files()).length > 0);
  await client.ask({ type: "stop_recording", name: "main" });
  const [file] = await files();
  if (file === undefined) throw new Error("there is no file");
  const read = async (secret: string, headers: Record<string, string> = {}) => {
    const query = new URLSearchParams({ name: "main", host: file.host, file: file.file, token: secret });
    const response = await fetch(new URL(`/mgr/recording/any.mcap?${query}`, instance.url), { headers });
    return { response, bytes: Buffer.from(await response.arrayBuffer()) };
  };
  const { bytes } = await read(token);
  expect(bytes.toString("latin1")).toMatch(/^\x89MCAP0\r\n[\s\S]*\x89MCAP0\r\n$/);
  expect(bytes.includes("foxglove.PoseInFrame")).toBe(true);
  for (const [range, from, end] of [
    ["bytes=0-7", 0, 8],
    ["bytes=20-99", 20, 100],
    ["bytes=-8", bytes.length - 8, bytes.length],
  ] as const) {
    const part = await read(token, { range });
    expect(part.response.status).toBe(206);
    expect(part.response.headers.get("content-range")).toBe(`bytes ${from}-${end - 1}/${bytes.length}`);
    expect(part.bytes).toEqual(bytes.subarray(from, end));
  }
  expect((await read(looking)).response.status).toBe(403);
  const unknown = `mgr_${"x".repeat(43)}`;
  expect((await read(unknown)).response.status).toBe(401);
  const said = await records();
  expect(said).toContain('"create_access_token"');
  for (const secret of [token, looking, unknown]) expect(said).not.toContain(secret);
});
