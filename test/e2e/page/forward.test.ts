import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { PageRig } from "../support/page-rig.ts";
import { eventually } from "../support/wait.ts";

let rig: PageRig;
/** A program of this machine that greets its clients. */
let program: Server;

beforeAll(async () => {
  program = createServer((socket) => socket.on("error", () => {}).write("welcome")).listen(0, "127.0.0.1");
  await once(program, "listening");
  rig = await PageRig.up({ processes: { db: { command: "sleep 1000" } } });
});
afterAll(async () => {
  program.close();
  await rig?.[Symbol.asyncDispose]();
});

test("the overview lists forwards with their bytes, and its button closes one with its connections", async () => {
  const { port } = program.address() as AddressInfo;
  const command = rig.instance.start("forward", `0:localhost:${port}`, "-c", rig.instance.config);
  const [, local = ""] = await eventually("it listens", () => /127\.0\.0\.1:(\d+) leads to port/.exec(command.stdout));
  const socket = connect(Number(local), "127.0.0.1");
  await once(socket, "data");

  const shown = await rig.open("/", { viewport: { width: 1440, height: 900 } });
  const row = shown.page.getByRole("table", { name: "Forwards" }).getByRole("row", { name: new RegExp(`:${port}`) });
  await row.getByText("7 B", { exact: true }).waitFor();
  await row.getByText("in use").waitFor();
  expect(await shown.violations()).toEqual([]);

  const closed = once(socket, "close");
  await row.getByRole("button", { name: /^Close the forward to .*:\d+$/ }).click();
  await closed;
  await row.waitFor({ state: "detached" });
  expect(await command.ended).toMatchObject({ code: 1, stderr: expect.stringContaining("it was closed by 'ada'") });
  expect(rig.complaints).toEqual([]);
});
