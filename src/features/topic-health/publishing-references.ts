import type { Names, PartFinding } from "../../config/load/names.ts";
import { unique } from "../../config/load/names.ts";
import { entriesOf } from "../../config/schema/schema-kinds.ts";
import { PUBLISHING } from "./contract.ts";

/** Reports dependencies on the publishing of processes whose probes name no topic. */
export function checkPublishing(names: Names): PartFinding[] {
  const findings: PartFinding[] = [];
  for (const name of names.processes.keys()) {
    for (const { path, settings } of names.sections(name)) {
      for (const [to, dependency] of entriesOf(settings.get("depends_on") ?? null) ?? []) {
        if (entriesOf(dependency ?? null)?.get("condition") !== PUBLISHING) continue;
        if (!names.processes.has(to) || namesTopic(names, to)) continue;
        const message = `'${to}' names no topic in 'ready' or 'alive', so it is not known what it publishes; add 'alive: {topic: NAME}' to it`;
        findings.push(names.finding([...path, "depends_on", to, "condition"], message));
      }
    }
  }
  return unique(findings);
}

/** Whether the probes of a process, or those of its templates that apply to it, name a topic. */
function namesTopic(names: Names, process: string): boolean {
  const sections = names.sections(process);
  return ["ready", "alive"].some((key) => {
    const probe: unknown = sections.findLast(({ settings }) => settings.has(key))?.settings.get(key);
    return entriesOf(probe ?? null)?.has("topic") ?? false;
  });
}
