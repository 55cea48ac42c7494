import { visible } from "../../../base/text/visible-text.ts";
import { withTimeout } from "../../../base/timing/wait.ts";
import { CommandFailure, EXIT } from "../../../cli/command/exit-codes.ts";
import { askYesNo } from "../../../cli/commands/setup/prompt.ts";
import { withManager } from "../../../cli/manager/connection.ts";
import type { ConnectionFlags } from "../../../cli/manager/connection-target.ts";
import { clockTime } from "../../../cli/output/process-text.ts";
import { paint, printJson, table } from "../../../cli/output/table.ts";
import type { ManagerClient } from "../../../client/manager-client.ts";
import type { AnswerOf } from "../../../protocol/frames/frames.ts";
import type { Snapshot } from "../../../protocol/resources/resources.ts";
import { differencesFrom, differencesText, stepText } from "../client/mode-text.ts";
import type { ActiveMode, Mode } from "../wire.ts";

export interface ModeFlags extends ConnectionFlags {
  dryRun?: boolean;
  yes?: boolean;
  /** False with `--no-wait`. */
  wait: boolean;
  /** Time limit, seconds. */
  timeout: number;
  json?: boolean;
}

type Plan = Omit<AnswerOf<"plan_mode">, "type" | "request_id">;

/** `mgr mode [MODE]`: lists the modes, or switches to one. */
export async function mode(name: string | undefined, flags: ModeFlags): Promise<void> {
  if (name === undefined && (flags.dryRun || flags.yes))
    throw new CommandFailure(EXIT.usage, "name the mode to switch to; 'mgr mode' lists them");
  await withManager(flags, async (client) => {
    if (name === undefined) {
      const snapshot = await client.snapshot();
      if (flags.json) printJson(snapshot.modes);
      else console.log(modesText(snapshot));
      return;
    }
    const { type: _type, request_id: _id, ...plan } = await client.request({ type: "plan_mode", name });
    if (flags.dryRun) {
      if (flags.json) printJson(plan);
      else console.log(planText(plan));
      return;
    }
    if (!flags.json) console.log(planText(plan));
    await confirmed(plan, flags.yes ?? false);
    const active = await switched(client, name, flags);
    if (active === null) return;
    if (flags.json) printJson(active);
    else console.log(`mode ${visible(name)} is active`);
    for (const problem of active.problems) console.error(`mgr: ${visible(problem)}`);
    if (active.problems.length > 0) process.exitCode = EXIT.failed;
  });
}

async function confirmed({ confirm }: Plan, yes: boolean): Promise<void> {
  if (confirm.length === 0 || yes) return;
  const sentence = `this ends ${confirm.map(visible).join(", ")}`;
  if (!process.stdin.isTTY) throw new CommandFailure(EXIT.usage, `${sentence}; add --yes to switch without a question`);
  if (!(await askYesNo(`mgr: ${sentence}. Switch?`))) throw new CommandFailure(EXIT.failed, "nothing was changed");
}

/** Resolves with the active mode at the end of the switch; null: without waiting for it, or if this user does not see it. */
async function switched(client: ManagerClient, name: string, { wait, timeout }: ModeFlags): Promise<ActiveMode | null> {
  const { modes } = await client.snapshot();
  const before = modes.find(({ active }) => active !== null)?.active?.since;
  let subscription: { unsubscribe(): void } | null = null;
  const end = new Promise<ActiveMode>((resolve, reject) => {
    subscription = client.frames$.subscribe({
      next: (frame) => {
        if (frame.type !== "modes_update") return;
        const now = frame.modes.find(({ active }) => active !== null);
        if (now === undefined || now.active === null || now.active.since === before) return;
        if (now.name !== name)
          reject(new CommandFailure(EXIT.failed, `the switch was given up: '${now.active.by}' switches to mode '${now.name}'`));
        else if (now.active.step === null) resolve(now.active);
      },
      error: reject,
      complete: () => reject(new CommandFailure(EXIT.failed, "the connection to the manager has ended; the switch continues")),
    });
  });
  // A refusal of the command comes first.
  end.catch(() => {});
  try {
    await client.request({ type: "switch_mode", name });
    if (!wait || modes.length === 0) return null;
    const late = () => new CommandFailure(EXIT.timeout, `time-out after ${timeout} s: the switch continues; see 'mgr mode'`);
    return await withTimeout(end, timeout * 1_000, late);
  } finally {
    (subscription as { unsubscribe(): void } | null)?.unsubscribe();
  }
}

export function planText({ name, stops, starts, parameters }: Plan): string {
  const lines = [
    ...stops.map((each) => paint("red", `- ${visible(each)}, stops`)),
    ...parameters.map((each) => paint("yellow", `~ ${visible(each.name)} = ${visible(each.value)}`)),
    ...starts.map((each) => paint("green", `+ ${visible(each)}, starts`)),
  ];
  return lines.length === 0 ? `mode ${visible(name)}: nothing to start or stop` : lines.join("\n");
}

export function modesText({ modes, processes }: Pick<Snapshot, "modes" | "processes">): string {
  if (modes.length === 0) return "the configuration has no modes (docs/modes.md)";
  const rows = table<Mode>(
    [
      { title: "MODE", text: ({ name }) => name },
      { title: "STARTS", text: ({ start }) => String(start.length) },
      { title: "STOPS", text: ({ stop }) => String(stop.length) },
      { title: "FALLBACK", text: ({ fallback }) => fallback ?? "-" },
      { title: "STATE", text: (each) => stateText(each, processes) },
    ],
    modes,
  );
  const problems = modes.flatMap(({ name, active }) => (active?.problems ?? []).map((problem) => `${visible(name)}: ${visible(problem)}`));
  return [rows, ...problems].join("\n");
}

function stateText(mode: Mode, processes: Snapshot["processes"]): string {
  const { active } = mode;
  if (active === null) return "";
  if (active.step !== null) return stepText(active.step);
  const differences = differencesText(differencesFrom(mode, processes));
  const cause = active.failed === null ? `by ${active.by}` : `because '${active.failed}' of ${active.by} failed`;
  return [`active since ${clockTime(active.since)}, ${cause}`, differences].filter((text) => text !== "").join("; ");
}
