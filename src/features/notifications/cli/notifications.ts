import { visible } from "../../../base/text/visible-text.ts";
import { CommandFailure, EXIT } from "../../../cli/command/exit-codes.ts";
import { withManager } from "../../../cli/manager/connection.ts";
import type { ConnectionFlags } from "../../../cli/manager/connection-target.ts";
import { clockTime } from "../../../cli/output/process-text.ts";
import { printJson, table } from "../../../cli/output/table.ts";
import type { Delivery, Silence } from "../notification.ts";
import type { RuleMatch, RuleOverview } from "../wire.ts";

export interface ListFlags extends ConnectionFlags {
  history?: boolean;
  json?: boolean;
}

export interface SilenceFlags extends ConnectionFlags {
  for?: number;
  reason?: string;
  json?: boolean;
}

/** `mgr notifications`: shows the rules with what they match, or the history. */
export async function notifications(flags: ListFlags): Promise<void> {
  await withManager(flags, async (client) => {
    const { type: _type, request_id: _id, ...all } = await client.request({ type: "request_notifications" });
    if (flags.json) printJson(all);
    else process.stdout.write(`${flags.history ? historyText(all.deliveries) : rulesText(all.rules)}\n`);
  });
}

/** `mgr notifications test WAY`. */
export async function testWay(way: string, flags: ConnectionFlags): Promise<void> {
  await withManager(flags, async (client) => {
    const { sent, result } = await client.request({ type: "test_way", way });
    if (!sent) throw new CommandFailure(EXIT.failed, `the test was not sent on '${visible(way)}': ${visible(result)}`);
    process.stdout.write(`${visible(way)}: sent (${visible(result)})\n`);
  });
}

/** `mgr silence PATTERN --for TIME`. */
export async function silence(pattern: string | undefined, flags: SilenceFlags): Promise<void> {
  if (pattern === undefined || flags.for === undefined)
    throw new CommandFailure(EXIT.usage, "give a pattern and its time: mgr silence PATTERN --for 2h; or mgr silence list");
  const seconds = Math.round(flags.for / 1_000);
  await withManager(flags, async (client) => {
    const answer = await client.request({ type: "create_silence", pattern, seconds, reason: flags.reason ?? "" });
    const { id, until } = answer.silence;
    if (flags.json) printJson(answer.silence);
    else process.stdout.write(`${id}: ${visible(pattern)} is silenced until ${clockTime(until)}\n`);
  });
}

/** `mgr silence list`. */
export async function silences(flags: ListFlags): Promise<void> {
  await withManager(flags, async (client) => {
    const { silences: all } = await client.request({ type: "request_notifications" });
    if (flags.json) printJson(all);
    else process.stdout.write(`${silencesText(all)}\n`);
  });
}

/** `mgr silence remove ID…`. */
export async function removeSilences(ids: readonly string[], flags: ConnectionFlags): Promise<void> {
  await withManager(flags, async (client) => {
    for (const id of ids) {
      await client.request({ type: "remove_silence", id });
      process.stdout.write(`${visible(id)}: ended\n`);
    }
  });
}

type Match = RuleMatch & { readonly rule: string };

/** Lists what the rules match now. */
export function rulesText(rules: readonly RuleOverview[]): string {
  if (rules.length === 0) return "there are no rules: see docs/notifications.md";
  const matches = rules.flatMap(({ name, matches: own }) => own.map((match): Match => ({ rule: name, ...match })));
  const idle = rules
    .filter((rule) => rule.matches.length === 0)
    .map(({ name, ways }) => `${visible(name)}: nothing now; to ${visible(ways.join(", "))}`);
  const more = rules.filter(({ more: count }) => count > 0).map(({ name, more: count }) => `${visible(name)}: ${count} more`);
  const found =
    matches.length === 0
      ? []
      : [
          table<Match>(
            [
              { title: "RULE", text: ({ rule }) => rule },
              { title: "KIND", text: ({ kind }) => kind },
              { title: "STATE", text: stateText },
              { title: "SINCE", text: ({ since }) => clockTime(since) },
              { title: "WHAT", text: ({ text }) => text },
            ],
            matches,
          ),
        ];
  return [...found, ...more, ...idle].join("\n");
}

const STATES = { pending: "pending", batched: "is sent soon", notified: "notified", silenced: "silenced" } as const;
const stateText = ({ state, counts }: RuleMatch) => (counts === null ? STATES[state] : `counts at ${clockTime(counts)}`);

/** Lists what was sent and what waits, newest first. */
export function historyText(deliveries: readonly Delivery[]): string {
  if (deliveries.length === 0) return "nothing was sent yet";
  return table<Delivery>(
    [
      { title: "TIME", text: ({ notification }) => clockTime(notification.time) },
      { title: "RULE", text: ({ notification }) => notification.rule },
      { title: "WAY", text: ({ way }) => way },
      { title: "STATE", text: deliveryText },
      { title: "WHAT", text: ({ notification }) => notification.title },
    ],
    [...deliveries],
  );
}

function deliveryText({ state, attempts, next_attempt, result }: Delivery): string {
  if (state === "sent") return attempts === 1 ? "sent" : `sent at attempt ${attempts}`;
  const why = result === null ? "" : `: ${result}`;
  if (state === "failed") return `given up${why}`;
  return next_attempt === null ? "waiting" : `again at ${clockTime(next_attempt)}${why}`;
}

/** A table of silences. */
export function silencesText(all: readonly Silence[]): string {
  if (all.length === 0) return "there are no silences";
  return table<Silence>(
    [
      { title: "ID", text: ({ id }) => id },
      { title: "PATTERN", text: ({ pattern }) => pattern },
      { title: "UNTIL", text: ({ until }) => clockTime(until) },
      { title: "BY", text: ({ by }) => by },
      { title: "REASON", text: ({ reason }) => reason },
    ],
    [...all],
  );
}
