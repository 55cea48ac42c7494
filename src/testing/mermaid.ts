import type { RecordedEvent } from "./recorded-event.ts";

/** Recorded events as a Mermaid sequence diagram: the manager, and a participant for each process. */
export function mermaidSequence(events: readonly RecordedEvent[]): string {
  const names = [...new Set(events.map(({ name }) => name))];
  const id = (name: string) => `p${names.indexOf(name)}`;
  const participants = names.map((name) => `  participant ${id(name)} as ${plain(name)}`);
  const steps = events.map((each) => `  ${step(each, id(each.name))}`);
  return ["sequenceDiagram", "  participant m as manager", ...participants, ...steps].join("\n");
}

function step(each: RecordedEvent, id: string): string {
  if (each.kind === "output") return `Note right of ${id}: ${plain(each.line)}`;
  const { to } = each;
  const why = each.why === "" ? "" : ` (${plain(each.why)})`;
  // Actions of the manager are arrows to the process, actions of the process are arrows back, and other changes are notes.
  if (to === "starting") return `m->>${id}: start`;
  if (to === "stopping") return `m->>${id}: stop`;
  if (to === "waiting" || (to === "stopped" && (each.from === "waiting" || each.from === "backoff" || each.from === null)))
    return `Note over m,${id}: ${to}${why}`;
  return `${id}-->>m: ${to}${why}`;
}

/** Escapes characters that end a line or have a meaning in Mermaid. */
function plain(text: string): string {
  return text.replace(/[#;<>\p{C}]/gu, (char) => `#${char.codePointAt(0)};`);
}
