import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { check } from "../../src/cli/commands/setup/check.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mgr-check-"));
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true, force: true });
});

/** Notes of `mgr check` on a configuration. */
async function notesOn(configuration: object): Promise<unknown[]> {
  const config = join(folder, "mgr.yaml");
  writeFileSync(config, JSON.stringify({ processes: {}, ...configuration }), { mode: 0o600 });
  const notes = vi.spyOn(console, "error").mockImplementation(() => {});
  const report = vi.spyOn(console, "log").mockImplementation(() => {});
  await check({ config });
  expect(report.mock.calls).toEqual([[expect.stringContaining("valid")]]);
  const said = notes.mock.calls.flat();
  vi.restoreAllMocks();
  return said;
}

test("mgr check says that roles do not hold for the clients of a nats-server, if there are both", async () => {
  const instance = { name: "bench", manager: "localhost:0", state_dir: folder };
  const bus = { instance: { ...instance, bus: "nats://10.0.0.1:4222" } };
  const access = { instance, access: { users: { sam: [{ role: "viewer", on: "sim/*" }] } } };
  const note = expect.stringMatching(/^note: the roles of 'access' do not hold for clients of the server of 'instance\.bus'/);
  expect(await notesOn({ ...access, ...bus })).toContainEqual(note);
  expect(await notesOn({ ...bus, access: { default: "viewer" } })).toContainEqual(note);
  for (const other of [bus, access]) expect(await notesOn(other)).not.toContainEqual(note);
});
