import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { HostSession } from "../../../../src/app/hosts/host-session.ts";
import type { XDisplay } from "../../../../src/features/displays/manager/x-display.ts";
import { X11Targets } from "../../../../src/features/displays/manager/x11-targets.ts";
import { xauthorityOf } from "../../../../src/features/displays/x11/xauthority.ts";
import { EngineRig } from "../../../app/support/engines.ts";

const shown = (kind: XDisplay["kind"], username: string | null = null): XDisplay => ({
  kind,
  display: ":5",
  username,
  peer: null,
  reason: "forward_x11",
});

let rig: EngineRig;
const asked: unknown[] = [];

beforeAll(async () => {
  rig = await EngineRig.open({
    processes: {
      server: { command: "sleep 100000", vnc: { display: 5 } },
      far: { command: "x", forward_x11_to_vnc: "server" },
    },
  });
});
afterAll(async () => {
  await rig?.[Symbol.asyncDispose]();
});

/** A session on which requests are noted and refused. */
function askedFor(host: string): HostSession {
  const link = {
    request: (_name: string, { display }: { display: number }) => {
      asked.push([host, display]);
      return Promise.reject(new Error("the X server was asked for"));
    },
  };
  const carry = (_target: string, ask: (session: string, stream: string) => unknown) => ask("s1", "x1");
  return { link, carry } as unknown as HostSession;
}

/** With a manager that has these variables. No web user has a display. */
function targets(environment: NodeJS.ProcessEnv = {}): X11Targets {
  const options = {
    processTable: rig.engine.processTable,
    displays: { record: () => null, isReady: () => false },
    guis: { connect: () => Promise.reject(new Error("no desktop is connected")) },
    named: { session: (host: string) => askedFor(host) },
    environment,
  };
  return new X11Targets(options);
}

it("the manager's own display is opened with its cookie", async () => {
  const folder = mkdtempSync(join(tmpdir(), "mgr-x11-"));
  const server = createServer().listen(0, "127.0.0.1");
  try {
    await once(server, "listening");
    const cookie = randomBytes(16);
    writeFileSync(join(folder, "Xauthority"), xauthorityOf(cookie));
    const environment = {
      DISPLAY: `127.0.0.1:${(server.address() as AddressInfo).port - 6_000}.0`,
      XAUTHORITY: join(folder, "Xauthority"),
    };
    const { stream, authorization } = await targets(environment).connect(shown("manager"), "far");
    stream.destroy();
    expect(Buffer.from(authorization?.data ?? []).equals(cookie)).toBe(true);
  } finally {
    server.close();
    rmSync(folder, { recursive: true });
  }
});

it("a display that cannot be opened is named, with the reason", async () => {
  const all = targets();
  await expect(all.connect(shown("manager"), "far")).rejects.toThrow(/the manager has no X display any more/);
  await expect(all.connect(shown("web", "ada"), "far")).rejects.toThrow(/private display of 'ada' does not run/);
  await expect(all.connect(shown("configured_vnc"), "far")).rejects.toThrow(/process 'server', whose display it is, does not run/);
  await expect(all.connect(shown("configured_vnc"), "server")).rejects.toThrow(/leads to no process with 'vnc'/);
  await expect(all.connect(shown("gui", "ada"), "far")).rejects.toThrow(/desktop is/);
});

it("the host of a process with 'vnc' is asked for its X server", async () => {
  rig.engine.commands.process("start", "server", "ada");
  await rig.until(() => rig.states("server")[0] === "started");
  await expect(targets().connect(shown("configured_vnc"), "far")).rejects.toThrow(/the X server was asked for/);
  expect(asked).toEqual([["bench", 5]]);
});
