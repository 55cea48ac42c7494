import { describe, expect, test } from "vitest";
import type { DisplaySettings } from "../../../../src/features/displays/config.ts";
import { displayDefinition } from "../../../../src/features/displays/manager/display-server.ts";
import { displayProcessOf } from "../../../../src/features/displays/manager/display-user.ts";

const RECORD = { user: "ada", display: 1_234, folder: "/run/x1234" };
const SETTINGS: DisplaySettings = { geometry: "800x600", window_manager: "openbox", stop_after_disconnect: null, stop_after_idle: null };

describe("the command of a private display", () => {
  function lineOf(settings: Partial<DisplaySettings>, path = process.env.PATH): string {
    const { program } = displayDefinition(RECORD, { base_dir: "/", displays: { ...SETTINGS, ...settings } }, path).command;
    return program.kind === "shell" ? program.line : "";
  }

  test("has the configured window manager, if it is installed", () => {
    expect(lineOf({})).toContain("do openbox; sleep 1; done");
    expect(lineOf({ window_manager: "xterm -e 'sleep 1'" })).toContain("do xterm -e 'sleep 1'; sleep 1; done");
    for (const settings of [{ window_manager: null }, { window_manager: "no-such-manager --replace" }])
      expect(lineOf(settings)).not.toContain("while");
    expect(lineOf({}, "/no/such/folder")).not.toContain("openbox");
  });

  test("stops when it is idle only if that is configured, in whole seconds", () => {
    expect(lineOf({})).not.toMatch(/-Max/);
    const line = lineOf({ stop_after_disconnect: 28_800_000, stop_after_idle: 400 });
    expect(line).toMatch(/-MaxDisconnectionTime 28800 -MaxIdleTime 1 /);
  });

  test("opens no TCP port", () => {
    expect(lineOf({})).toMatch(/-nolisten tcp -localhost -rfbport -1 -rfbunixpath \/run\/x1234\/rfb.sock -rfbunixmode 0600/);
  });
});

test("different users have different processes, whatever their names", () => {
  const long = "x".repeat(300);
  const users = ["ada", "Ada", "ada ", "ada/bob", "ada%2Fbob", "..", ".", "%2E", "%2E%2E", "größe", long, `${long}y`, `${long.slice(1)}y`];
  expect(new Set(users.map(displayProcessOf)).size).toBe(users.length);
  for (const user of users) expect(displayProcessOf(user)).toMatch(/^displays\/[^/]{1,255}$/);
});
