import { expect, test } from "vitest";
import type { ManagerAudit } from "../../../../src/features/audit/manager/manager-audit.ts";
import type { AuditEntry } from "../../../../src/features/audit/wire.ts";
import { AuditRig, command, give, patientClock } from "../rig.ts";

/** All entries, page by page, newest first. */
async function paged(audit: ManagerAudit, request: Parameters<ManagerAudit["page"]>[0]): Promise<AuditEntry[]> {
  const entries: AuditEntry[] = [];
  let page = await audit.page(request);
  for (;;) {
    entries.push(...page.entries);
    if (page.before === null) return entries;
    page = await audit.page({ ...request, before: page.before });
  }
}

const names = (entries: readonly AuditEntry[]) => entries.map(({ command: name }) => name);

test("pages have every entry once over all files, the newest first, each with its outcome", async () => {
  await using rig = new AuditRig();
  rig.settings = { ...rig.settings, max_size: 2_000 };
  const audit = await rig.start();
  const given = Array.from({ length: 40 }, (_, index) => `command ${index}`);
  // Outcomes arrive long after their requests, so that pages begin between them.
  const ends = [];
  for (const name of given) ends.push(await audit.observer.before(command(name)));
  for (const end of ends) end({ ok: true });
  for (const limit of [1, 7, 1_000]) {
    const entries = await paged(audit, { limit });
    expect(names(entries)).toEqual(given.toReversed());
    expect(new Set(entries.map(({ outcome }) => outcome))).toEqual(new Set(["accepted"]));
  }
  expect((await rig.files()).length).toBeGreaterThan(3);
});

test("entries are chosen by user, command, name and time", async () => {
  await using rig = new AuditRig();
  let now = Date.parse("2026-11-21T08:00:00.000Z");
  const audit = await rig.start({ clock: { ...patientClock, now: () => now } });
  for (const [name, target, user] of [
    ["start_process", "sim/a", "ada"],
    ["stop_process", "sim/b", "bob"],
    ["stop_group", "sim", "ada"],
    ["stop_process", "simple", "ada"],
  ] as const) {
    await give(audit, name, { target, sender: { ...command("").sender, user } });
    now += 60_000;
  }
  const targets = async (request: Parameters<ManagerAudit["page"]>[0]) => (await paged(audit, request)).map(({ target }) => target);
  expect(await targets({ user: "ada" })).toEqual(["simple", "sim", "sim/a"]);
  expect(await targets({ command: "stop_*" })).toEqual(["simple", "sim", "sim/b"]);
  expect(await targets({ names: ["sim"] })).toEqual(["sim", "sim/b", "sim/a"]);
  expect(await targets({ names: ["sim/?"] })).toEqual(["sim/b", "sim/a"]);
  expect(await targets({ since: "2026-11-21T08:01:00.000", until: "2026-11-21T08:02:00.000" })).toEqual(["sim", "sim/b"]);
  await expect(audit.page({ before: "x" })).rejects.toMatchObject({ code: "bad_field" });
});

test("a command without an outcome is running, and unknown once its manager has ended", async () => {
  await using rig = new AuditRig();
  const first = await rig.start();
  await first.observer.before(command("reload_config"));
  first.observer.refused(command("stop_process"), { ok: false, code: "forbidden", message: "not allowed" });
  const outcomes = async (audit: ManagerAudit) => (await paged(audit, {})).map(({ command: name, outcome, code }) => [name, outcome, code]);
  expect(await outcomes(first)).toEqual([
    ["stop_process", "refused", "forbidden"],
    ["reload_config", "running", null],
  ]);
  await first.close();
  const second = await rig.start();
  await give(second, "manager_start");
  expect(await outcomes(second)).toEqual([
    ["manager_start", "accepted", null],
    ["stop_process", "refused", "forbidden"],
    ["reload_config", "unknown", null],
  ]);
});
