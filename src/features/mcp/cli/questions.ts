import { visible } from "../../../base/text/visible-text.ts";
import { CommandFailure, EXIT } from "../../../cli/command/exit-codes.ts";
import { stayConnected, withManager } from "../../../cli/manager/connection.ts";
import type { ConnectionFlags } from "../../../cli/manager/connection-target.ts";
import { printJson, table } from "../../../cli/output/table.ts";
import type { ManagerClient } from "../../../client/manager-client.ts";
import type { Confirmation } from "../wire.ts";

/** `mgr agent questions [--follow]`: the questions of agents that this user may answer. */
export async function questions({
  follow = false,
  json = false,
  ...flags
}: ConnectionFlags & { follow?: boolean; json?: boolean }): Promise<void> {
  await withManager(flags, async (client) => {
    const open = await openQuestions(client);
    if (json && !follow) return printJson(open);
    const show = (each: Confirmation) => (json ? process.stdout.write(`${JSON.stringify(each)}\n`) : console.log(sentenceOf(each)));
    if (!follow) return void process.stdout.write(`${listText(open)}\n`);
    const shown = new Set(open.map(({ id }) => id));
    for (const each of open) show(each);
    client.events$.subscribe((frame) => {
      if (frame.type !== "confirmations") return;
      for (const each of frame.confirmations) if (!shown.has(each.id)) show(each);
      shown.clear();
      for (const { id } of frame.confirmations) shown.add(id);
    });
    await stayConnected(client);
  });
}

/** `mgr agent allow|refuse ID`. An id may be shortened. */
export async function answerQuestion(wanted: string, allow: boolean, flags: ConnectionFlags): Promise<void> {
  await withManager(flags, async (client) => {
    const found = (await openQuestions(client)).filter(({ id }) => id.startsWith(wanted));
    const [question] = found;
    if (question === undefined)
      throw new CommandFailure(
        EXIT.notFound,
        `no open question has the id ${visible(wanted)}: it was answered, or its time is over; see 'mgr agent questions'`,
      );
    if (found.length > 1)
      throw new CommandFailure(EXIT.usage, `${found.length} questions have ids that begin with ${visible(wanted)}: give more of it`);
    const { id, name, agent } = question;
    await client.request({ type: "answer_confirmation", id, name, agent, allow });
  });
}

/** The manager sends them before it acknowledges. */
async function openQuestions(client: ManagerClient): Promise<readonly Confirmation[]> {
  let open: readonly Confirmation[] = [];
  const subscription = client.events$.subscribe((frame) => {
    if (frame.type === "confirmations") open = frame.confirmations;
  });
  try {
    await client.request({ type: "follow_confirmations" });
    return open;
  } finally {
    subscription.unsubscribe();
  }
}

/** A table of questions; what agents have named is escaped. */
export function listText(open: readonly Confirmation[], width?: number): string {
  if (open.length === 0) return "No agent waits for an answer.";
  return table(
    [
      { title: "ID", text: ({ id }) => shortId(id) },
      { title: "AGENT", text: ({ agent }) => agent },
      { title: "WANTS TO", text: ({ action }) => action },
      { title: "PROCESS", text: ({ name }) => name },
      { title: "HOST", text: ({ host }) => host },
      { title: "PID", text: ({ pid }) => (pid === null ? "" : String(pid)) },
      { title: "UNTIL", text: ({ until }) => `${until.slice(11, 19)} UTC` },
    ],
    [...open],
    width,
  );
}

export const sentenceOf = ({ id, agent, action, name, host }: Confirmation): string =>
  visible(`${agent} asks to ${action} ${name} on ${host}: mgr agent allow ${shortId(id)}, or mgr agent refuse ${shortId(id)}`);

const shortId = (id: string): string => id.slice(0, 8);
