import { afterAll, beforeAll, expect, test } from "vitest";
import { freePort } from "../../support/free-port.ts";
import { PageRig, soon } from "../support/page-rig.ts";
import { ECHO } from "../support/shell.ts";

let rig: PageRig;

beforeAll(async () => {
  const processes = { "tools/echo": { command: ECHO, autostart: true } };
  // The page finds the next program at the same port.
  rig = await PageRig.up({ instance: { manager: `localhost:${freePort()}`, restart_manager: true }, processes });
});
afterAll(() => rig?.[Symbol.asyncDispose]());

type Frame = Readonly<Record<string, unknown>>;

/** What the manager would say after another version was installed, and of a host with an older one. */
function withVersions(frame: Frame): Frame {
  if (frame.type === "versions") return { ...frame, installed: "9.9.9" };
  if (frame.type === "snapshot")
    return { ...frame, host_list: (frame.host_list as Frame[]).map((host) => ({ ...host, version: "0.0.1" })) };
  return frame.type === "host_upsert" ? { ...frame, host: { ...(frame.host as Frame), version: "0.0.1" } } : frame;
}

test("the overview says that another version is installed, and replaces manager and daemon while processes go on", async () => {
  await rig.untilState("tools/echo", "started");
  const before = await rig.client.process("tools/echo");
  const pids = { manager: rig.instance.pidOf("manager"), daemon: rig.instance.pidOf("daemon") };
  const shown = await rig.open("/?view=log");
  const { page } = shown;
  await page.routeWebSocket(/\/ws(\?|$)/, (socket) => {
    const manager = socket.connectToServer();
    manager.onMessage((message) => socket.send(JSON.stringify(withVersions(JSON.parse(String(message)) as Frame))));
  });
  await shown.go("/?view=overview");
  const section = page.locator("section.upgrade");
  await section.getByText(/^mgr 9\.9\.9 is installed, and the manager runs \d/).waitFor();
  expect(await shown.violations()).toEqual([]);

  await section.getByRole("button", { name: "Upgrade the manager" }).click();
  const replacements = (file: string, text: RegExp) => () => rig.instance.read(file).match(text)?.length ?? 0;
  await soon(replacements("state/manager.log", /serves http/g)).toBe(2);
  await section.getByRole("button", { name: /^Upgrade (?!the manager)/ }).click();
  await soon(replacements("state/daemon.log", /this program has replaced that of the daemon/g)).toBe(1);
  expect({ manager: rig.instance.pidOf("manager"), daemon: rig.instance.pidOf("daemon") }).toEqual(pids);
  const after = await rig.instance.connect();
  await soon(async () => (await after.process("tools/echo")).state).toBe("started");
  expect((await after.process("tools/echo")).pid).toBe(before.pid);
});
