import { visible } from "../../../base/text/visible-text.ts";
import { withManager } from "../../../cli/manager/connection.ts";
import type { ConnectionFlags } from "../../../cli/manager/connection-target.ts";
import { namesOf } from "../../../cli/manager/selectors.ts";
import { jsonText, paint, table } from "../../../cli/output/table.ts";
import type { ManagerClient } from "../../../client/manager-client.ts";
import { formatTime } from "../../../protocol/time.ts";
import { argumentsText, outcomeText, throughText } from "../entry-text.ts";
import { DEFAULT_LISTED, MAX_LISTED } from "../limits.ts";
import type { AuditEntry } from "../wire.ts";

export interface AuditFlags extends Omit<ConnectionFlags, "user"> {
  readonly user?: string;
  readonly login?: string;
  readonly command?: string;
  /** Ages, seconds. */
  readonly since?: number;
  readonly until?: number;
  readonly lines?: number;
  readonly json?: boolean;
}

/** `mgr audit [NAME…]`: shows recorded commands. */
export async function audit(names: string[], flags: AuditFlags): Promise<void> {
  const { login, user: _user, ...rest } = flags;
  await withManager({ ...rest, ...(login === undefined ? {} : { user: login }) }, async (client) => {
    const { entries, problem, unrecorded } = await entriesOf(client, names, flags);
    if (flags.json) process.stdout.write(entries.map((entry) => `${jsonText(entry, { oneLine: true })}\n`).join(""));
    else process.stdout.write(`${entries.length === 0 ? "no commands were recorded" : auditText(entries)}\n`);
    if (problem !== null) console.error(visible(`mgr: commands are not recorded now: ${problem}`));
    if (unrecorded > 0) console.error(`mgr: ${unrecorded} records were lost since the start of the manager`);
  });
}

/** The newest entries, oldest first. */
async function entriesOf(client: Pick<ManagerClient, "request" | "snapshot">, names: string[], flags: AuditFlags) {
  const { user, command, since, until, lines = since === undefined ? DEFAULT_LISTED : Number.POSITIVE_INFINITY } = flags;
  const ago = (seconds: number) => formatTime(Date.now() - seconds * 1_000);
  const request = {
    type: "request_audit" as const,
    ...(user === undefined ? {} : { user }),
    ...(command === undefined ? {} : { command }),
    ...(names.length === 0 ? {} : { names: await namesOf(client, names) }),
    ...(since === undefined ? {} : { since: ago(since) }),
    ...(until === undefined ? {} : { until: ago(until) }),
  };
  const entries: AuditEntry[] = [];
  let continued: { before?: string } = {};
  for (;;) {
    const limit = Math.min(MAX_LISTED, lines - entries.length);
    const page = await client.request({ ...request, ...continued, limit });
    for (const entry of page.entries) entries.push(entry);
    if (page.before === null || entries.length >= lines) return { ...page, entries: entries.reverse() };
    continued = { before: page.before };
  }
}

/** A table of entries. */
export function auditText(entries: readonly AuditEntry[]): string {
  return table<AuditEntry>(
    [
      { title: "TIME", text: ({ time }) => localTime(time) },
      { title: "USER", text: ({ user }) => user },
      { title: "ROLE", text: ({ role }) => role ?? "-", spare: 0 },
      { title: "FROM", text: ({ address }) => address ?? "-", spare: 2 },
      { title: "THROUGH", text: throughText, spare: 1 },
      { title: "COMMAND", text: ({ command }) => command },
      { title: "TARGET", text: ({ target }) => target ?? "-" },
      {
        title: "OUTCOME",
        text: outcomeAndArguments,
        paint: (entry, text) => (entry.outcome === "accepted" ? visible(text) : paint("yellow", text)),
      },
    ],
    [...entries],
  );
}

function outcomeAndArguments(entry: AuditEntry): string {
  const args = argumentsText(entry);
  return args === "" ? outcomeText(entry) : `${outcomeText(entry)}  ${args}`;
}

/** Date and time of this machine: entries are of many days. */
function localTime(timestamp: string): string {
  const at = new Date(`${timestamp}Z`);
  const two = (value: number) => String(value).padStart(2, "0");
  const date = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${date} ${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
}
