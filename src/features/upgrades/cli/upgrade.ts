import { messageOf } from "../../../base/errors.ts";
import { visible } from "../../../base/text/visible-text.ts";
import { untilAborted } from "../../../base/timing/wait.ts";
import { CommandFailure, EXIT } from "../../../cli/command/exit-codes.ts";
import { connectManager, reconnectManager, whileConnected } from "../../../cli/manager/connection.ts";
import type { ConnectionFlags } from "../../../cli/manager/connection-target.ts";
import { printJson } from "../../../cli/output/table.ts";
import type { ManagerClient } from "../../../client/manager-client.ts";

export interface UpgradeFlags extends ConnectionFlags {
  program?: string;
  node?: string;
  json?: boolean;
}

/** Result for one program. */
interface Upgraded {
  /** Null: the manager. */
  readonly host: string | null;
  readonly from: string | null;
  readonly to: string | null;
  /** Why it was not replaced; null: it was. */
  readonly problem: string | null;
}

/** Time limit for an answer, milliseconds: longer than the manager waits for the host. */
const ANSWER_MS = 90_000;
/** Time limit for the manager to serve clients again, milliseconds. */
const BACK_MS = 60_000;

/** `mgr upgrade [HOST…]`. */
export async function upgrade(hosts: readonly string[], flags: UpgradeFlags): Promise<void> {
  const done: Upgraded[] = [];
  const note = (upgraded: Upgraded) => {
    done.push(upgraded);
    if (!flags.json) process.stdout.write(`${lineOf(upgraded)}\n`);
  };
  let client = await connectManager(flags);
  try {
    const targets = hosts.length > 0 ? hosts : await connectedHosts(client);
    if (hosts.length === 0) {
      const { next, upgraded } = await upgradeManager(client, flags);
      client = next;
      note(upgraded);
    }
    for (const host of targets) note(await upgradeHost(client, host, flags));
  } finally {
    client.close();
  }
  if (flags.json) printJson(done);
  const failed = done.filter(({ problem }) => problem !== null);
  if (failed.length > 0)
    throw new CommandFailure(EXIT.failed, `${failed.length} of ${done.length} programs were not replaced, and go on as before`);
}

/** Resolves with a connection to the new program, or the same one if it was not replaced. */
async function upgradeManager(client: ManagerClient, flags: UpgradeFlags): Promise<{ next: ManagerClient; upgraded: Upgraded }> {
  const { from, to, problem } = await client.request({ type: "upgrade_manager" }, { timeout: ANSWER_MS });
  if (problem !== null) return { next: client, upgraded: { host: null, from, to, problem } };
  // Its connections end with the program.
  await whileConnected(client, untilAborted).catch(() => {});
  const next = await reconnectManager(flags, AbortSignal.timeout(BACK_MS));
  return { next, upgraded: { host: null, from, to, problem } };
}

async function connectedHosts(client: ManagerClient): Promise<string[]> {
  const { host_list } = await client.snapshot();
  return host_list.filter(({ state }) => state === "ready").map(({ name }) => name);
}

async function upgradeHost(client: ManagerClient, host: string, { program, node }: UpgradeFlags): Promise<Upgraded> {
  const target = { ...(program === undefined ? {} : { program }), ...(node === undefined ? {} : { node }) };
  try {
    const { from, to } = await client.request({ type: "upgrade_host", host, ...target }, { timeout: ANSWER_MS });
    return { host, from, to, problem: null };
  } catch (error) {
    return { host, from: null, to: null, problem: messageOf(error) };
  }
}

export function lineOf({ host, from, to, problem }: Upgraded): string {
  const name = host === null ? "manager" : `host ${visible(host)}`;
  if (problem !== null) return `${name}: not replaced: ${visible(problem)}`;
  return `${name}: ${visible(from ?? "unknown version")} → ${visible(to ?? "unknown version")}`;
}
