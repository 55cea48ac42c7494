import { mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { conforms } from "../../contract/check.ts";
import type { Frame } from "../support/client.ts";
import { PageRig, soon } from "../support/page-rig.ts";

// A machine that has no X server program: its PATH is one folder with all other programs.

const INSTALL = "sudo apt-get install tigervnc-standalone-server";
/** Prints what programs for OpenGL look at. */
const SHOWS_GL = ["/bin/sh", "-c", `echo "software $LIBGL_ALWAYS_SOFTWARE, under $VGL_ARGUMENTS."; exec sleep 100000`];
/** VirtualGL is not packaged for Debian: a program of its name that says how it was called. */
const VGLRUN = `#!/bin/sh
export VGL_ARGUMENTS="$1 $2"; shift 2; exec "$@"
`;

let rig: PageRig;
const bin = mkdtempSync(join(tmpdir(), "mgr-no-x-"));

beforeAll(async () => {
  const servers = /^(X|vnc|tigervnc|vglrun)/;
  for (const name of readdirSync("/usr/bin")) if (!servers.test(name)) symlinkSync(join("/usr/bin", name), join(bin, name));
  rig = await PageRig.up({ processes: { plot: { command: SHOWS_GL, forward_x11: true } } }, { PATH: bin });
});
afterAll(async () => {
  await rig?.[Symbol.asyncDispose]();
  rmSync(bin, { recursive: true });
});

const tools = async () => ((await rig.client.snapshot()).start_tools as { value: string | null }[]).map(({ value }) => value);

async function outputUnder(tool: string | null): Promise<string> {
  const { client } = rig;
  expect(await client.ask({ type: "set_process_attribute", name: "plot", attribute: "start_tool", value: tool })).toMatchObject({
    ok: true,
  });
  const from = client.here;
  await client.command({ type: "restart_process", name: "plot" });
  await client.untilOutput("plot", /under .*\./, from);
  return /software .*\./.exec(client.output("plot", from))?.[0] ?? "";
}

test("/mgr/vnc/info answers ok: false with the package to install, and starts nothing", async () => {
  const response = await rig.instance.fetch("/mgr/vnc/info");
  const answer = (await response.json()) as { message: string };
  expect([response.status, conforms("failed VNC info", answer)]).toEqual([503, []]);
  expect(answer).toMatchObject({ ok: false, kind: "private", message: expect.stringContaining(INSTALL) });
  const snapshot = await rig.client.snapshot();
  expect((snapshot.processes as { name: string }[]).map(({ name }) => name)).toEqual(["plot"]);
  expect(snapshot).toMatchObject({ web_x_display: { known: false, running: false }, vnc_sessions: [] });
});

test("a process with forward_x11 runs without a display, and the log names the package", async () => {
  const from = rig.client.here;
  await rig.client.command({ type: "start_process", name: "plot" });
  expect(await rig.client.untilState("plot", "started", from)).toMatchObject({ x_display: null, x_display_kind: null });
  const { entries } = await rig.client.ask({ type: "request_logs", level: "warning" });
  expect((entries as { msg: string }[]).map(({ msg }) => msg)).toContainEqual(
    expect.stringMatching(new RegExp(`process 'plot' is started without an X display: .*${INSTALL}`)),
  );
  expect(rig.client.frames.some(({ type }: Frame) => type === "web_x_display_used")).toBe(false);
});

test("the page says what to install, and everything else of it works", async () => {
  const { page } = await rig.open("/?view=display");
  await page.getByRole("alert").getByText(INSTALL).waitFor();
  await page.getByRole("button", { name: "Connect now" }).waitFor();
  await page.goto(new URL("/?process=plot", rig.instance.url).href);
  await page.locator(".terminal-box .xterm-rows").getByText("software").first().waitFor();
  // The browser itself reports the refusal of /mgr/vnc/info.
  expect(rig.complaints.filter((complaint) => !complaint.includes("503"))).toEqual([]);
});

test("software OpenGL and VirtualGL are start tools, VirtualGL only where it is installed", async () => {
  await rig.client.command({ type: "subscribe_process_output", patterns: ["plot"] });
  expect(await tools()).toContain("software-gl");
  expect(await tools()).not.toContain("vglrun");
  const refused = { type: "set_process_attribute", name: "plot", attribute: "start_tool", value: "vglrun" };
  expect(await rig.client.ask(refused)).toMatchObject({ ok: false, code: "not_found" });
  expect(await outputUnder("software-gl")).toBe("software 1, under .");
  writeFileSync(join(bin, "vglrun"), VGLRUN, { mode: 0o755 });
  // Tools are looked for once a second at most.
  await soon(tools).toContain("vglrun");
  expect(await outputUnder("vglrun")).toBe("software , under -d egl.");
  expect(await outputUnder(null)).toBe("software , under .");
});
