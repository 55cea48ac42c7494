import { visible } from "../../../base/text/visible-text.ts";
import type { ManagerFrame } from "../../../protocol/frames/frames.ts";
import { CommandFailure, EXIT } from "../../command/exit-codes.ts";
import { withManager } from "../../manager/connection.ts";
import type { ConnectionFlags } from "../../manager/connection-target.ts";
import { paint, printJson } from "../../output/table.ts";

interface ReloadFlags extends ConnectionFlags {
  json?: boolean;
  dryRun?: boolean;
}

type Reloaded = Extract<ManagerFrame, { type: "config_reload_result"; ok: true }>;

/** `mgr plan`: shows what a reload would change; changes nothing. */
export const plan = (flags: ReloadFlags) => ask(flags, true);

/** `mgr reload`: makes the manager read its configuration again; unchanged processes keep running. */
export const reload = (flags: ReloadFlags) => ask(flags, flags.dryRun ?? false);

async function ask(flags: ReloadFlags, dryRun: boolean): Promise<void> {
  await withManager(flags, async (client) => {
    const answer = await client.request({ type: "reload_config", dry_run: dryRun });
    if (answer.type !== "config_reload_result" || !answer.ok) {
      throw new CommandFailure(EXIT.failed, `unexpected response from the manager: '${answer.type}' instead of 'config_reload_result'`);
    }
    const { type: _type, request_id: _id, ...result } = answer;
    if (flags.json) printJson(result);
    else console.log(describeReload(answer, dryRun));
  });
}

export function describeReload(answer: Reloaded, dryRun: boolean): string {
  const { added, removed, changed, unchanged, restart_needed, starts, stops, differences, hosts, settings, manager_restart_needed } =
    answer;
  const lines = [
    ...added.map((name) => paint("green", `+ ${name}${starts.includes(name) ? (dryRun ? ", starts" : ", started") : ""}`)),
    ...changed.flatMap((name) => [
      paint("yellow", `~ ${name}`),
      ...differences.filter((each) => each.name === name).map((each) => `    ${visible(differenceText(each))}`),
    ]),
    ...removed.map((name) => paint("red", `- ${name}${stops.includes(name) ? (dryRun ? ", stops" : ", stopped") : ""}`)),
  ];
  const would = dryRun ? "would be " : "";
  lines.push(
    lines.length + hosts.length + settings.length === 0
      ? `nothing ${dryRun ? "would change" : "changed"}; ${unchanged.length} processes`
      : `${added.length} ${would}added, ${changed.length} changed, ${removed.length} removed; ${unchanged.length} unchanged`,
  );
  lines.push(...hosts.map(hostLine), ...settings.map((key) => paint("yellow", `~ ${visible(key)}`)));
  if (restart_needed.length > 0)
    lines.push(
      `these still run with their earlier configuration; restart them to apply the new one: ${visible(restart_needed.join(", "))}`,
    );
  if (manager_restart_needed.length > 0)
    lines.push(`these act at the next start of the manager ('mgr down', then 'mgr up'): ${visible(manager_restart_needed.join(", "))}`);
  return lines.join("\n");
}

function hostLine({ name, change, keys }: Reloaded["hosts"][number]): string {
  if (change === "changed") return paint("yellow", `~ host ${visible(name)}: ${keys.join(", ")}`);
  return change === "added" ? paint("green", `+ host ${visible(name)}`) : paint("red", `- host ${visible(name)}`);
}

function differenceText({ key, from, to }: Reloaded["differences"][number]): string {
  return `${key}: ${from ?? "not set"} → ${to ?? "not set"}`;
}
