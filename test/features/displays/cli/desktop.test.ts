import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { EXIT } from "../../../../src/cli/command/exit-codes.ts";
import { desktopOf, probeDisplay } from "../../../../src/features/displays/cli/desktop.ts";
import { readSetup } from "../../../../src/features/displays/host/read-setup.ts";
import { isAuthorized, setupFailed, type X11Setup } from "../../../../src/features/displays/x11/setup.ts";
import { MIT_COOKIE, xauthorityOf } from "../../../../src/features/displays/x11/xauthority.ts";

const cookie = new Uint8Array(16).fill(7);
const folder = mkdtempSync(join(tmpdir(), "mgr-desktop-"));
const authority = join(folder, "Xauthority");
writeFileSync(authority, xauthorityOf(cookie));
const empty = join(folder, "none");
writeFileSync(empty, "");
afterAll(() => rmSync(folder, { recursive: true }));

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** An X server as far as its answer to the setup packet; resolves with its display. */
async function xServer(answer: (setup: X11Setup) => Uint8Array): Promise<string> {
  const server = createServer((socket) => {
    socket.on("error", () => socket.destroy());
    readSetup(socket).then(
      (setup) => socket.end(answer(setup)),
      () => socket.destroy(),
    );
  });
  servers.push(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  // Free ports are above 6000, which is that of display 0.
  return `127.0.0.1:${(server.address() as AddressInfo).port - 6_000}`;
}

const needsCookie = (setup: X11Setup) =>
  isAuthorized(setup, { name: MIT_COOKIE, data: cookie }) ? new Uint8Array(8).fill(1, 0, 1) : setupFailed(setup, "Authorization required");

describe("the display of mgr gui", () => {
  test("is that of --display, else of DISPLAY", () => {
    expect(desktopOf(undefined, { DISPLAY: ":1" })).toEqual({ display: ":1", authority: null });
    expect(desktopOf(":2", { DISPLAY: ":1", XAUTHORITY: "/x" })).toEqual({ display: ":2", authority: "/x" });
    expect(() => desktopOf(undefined, {})).toThrow(
      expect.objectContaining({ exitCode: EXIT.usage, message: expect.stringMatching(/DISPLAY is not set.*mgr gui --display :0/) }),
    );
  });

  test("is tested with its cookie before it is registered", async () => {
    const display = await xServer(needsCookie);
    await expect(probeDisplay({ display, authority })).resolves.toBeUndefined();
  });

  test("that requires a cookie is an error that names the file without it", async () => {
    const display = await xServer(needsCookie);
    await expect(probeDisplay({ display, authority: empty })).rejects.toMatchObject({
      exitCode: EXIT.failed,
      message: `the X server of display ${display} refuses the connection: Authorization required. There is no cookie for it in ${empty}; XAUTHORITY can name another file`,
    });
  });

  test("with a wrong cookie is an error with the reason of the X server", async () => {
    const display = await xServer((setup) => setupFailed(setup, "Invalid MIT-MAGIC-COOKIE-1 key"));
    await expect(probeDisplay({ display, authority })).rejects.toThrow(/refuses the connection: Invalid MIT-MAGIC-COOKIE-1 key$/);
  });

  test("whose server closes without an answer, or is not there, is an error", async () => {
    const display = await xServer(() => new Uint8Array(0));
    await expect(probeDisplay({ display, authority })).rejects.toThrow("refuses the connection: it closed the connection");
    for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve));
    await expect(probeDisplay({ display, authority })).rejects.toThrow(`X display '${display}' cannot be reached`);
    await expect(probeDisplay({ display: "desk", authority })).rejects.toMatchObject({ code: "bad_field" });
  });
});
