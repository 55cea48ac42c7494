import { visible } from "../../../base/text/visible-text.ts";

/** A process and its dependencies, for drawing. */
export interface GraphProcess {
  readonly name: string;
  readonly command: string;
  /** State; null when no manager runs. */
  readonly state: string | null;
  readonly waiting_for: readonly string[];
  readonly depends_on: readonly { readonly name: string; readonly condition: string | null }[];
}

/**
 * A tree below each process that nothing depends on, its dependencies indented under it:
 *
 *     web  [waiting]  ./web --port 80  (waiting for db)
 *     └─ db  [starting]  postgres -D data  (ready)
 *
 * A process that was shown before is not unfolded again.
 */
export function textGraph(processes: readonly GraphProcess[]): string {
  const byName = new Map(processes.map((process) => [process.name, process]));
  const needed = new Set(processes.flatMap((process) => process.depends_on.map((one) => one.name)));
  const shown = new Set<string>();
  const lines: string[] = [];
  const show = (process: GraphProcess, edge: { head: string; below: string; condition: string | null }) => {
    const again = shown.has(process.name) && process.depends_on.length > 0;
    shown.add(process.name);
    lines.push(`${edge.head}${line(process, edge.condition)}${again ? "  (see above)" : ""}`);
    if (again) return;
    for (const [index, { name, condition }] of process.depends_on.entries()) {
      const dependency = byName.get(name);
      if (dependency === undefined) continue;
      const isLast = index === process.depends_on.length - 1;
      show(dependency, { head: `${edge.below}${isLast ? "└─ " : "├─ "}`, below: `${edge.below}${isLast ? "   " : "│  "}`, condition });
    }
  };
  for (const process of processes) if (!needed.has(process.name)) show(process, { head: "", below: "", condition: null });
  return lines.join("\n");
}

function line({ name, command, state, waiting_for }: GraphProcess, condition: string | null): string {
  const parts = [visible(name)];
  if (condition !== null) parts.push(`(${visible(condition)})`);
  if (state !== null) parts.push(`[${state}]`);
  parts.push(oneLine(command));
  if (waiting_for.length > 0) parts.push(`(waiting for ${visible(waiting_for.join(", "))})`);
  return parts.join("  ");
}

const FILLS: Readonly<Record<string, string>> = {
  ready: "palegreen",
  started: "palegreen",
  starting: "lightblue",
  waiting: "lightblue",
  stopping: "khaki",
  backoff: "khaki",
  error: "salmon",
};

/** Text for Graphviz: an arrow from each process to its dependencies, dashed to those that it waits for. */
export function dotGraph(processes: readonly GraphProcess[]): string {
  const lines = ["digraph mgr {", "  rankdir=LR;", "  node [shape=box, style=filled, fillcolor=white];"];
  for (const { name, command, state } of processes) {
    const label = [name, oneLine(command), ...(state === null ? [] : [state])].map(escapeDot).join("\\n");
    const fill = state === null ? undefined : FILLS[state];
    lines.push(`  "${escapeDot(name)}" [label="${label}"${fill === undefined ? "" : `, fillcolor=${fill}`}];`);
  }
  for (const process of processes) {
    for (const { name, condition } of process.depends_on) {
      const attributes = [
        ...(condition === null ? [] : [`label="${escapeDot(condition)}"`]),
        ...(process.waiting_for.includes(name) ? ["style=dashed"] : []),
      ];
      lines.push(`  "${escapeDot(process.name)}" -> "${escapeDot(name)}"${attributes.length === 0 ? "" : ` [${attributes.join(", ")}]`};`);
    }
  }
  return [...lines, "}"].join("\n");
}

/** Text for Mermaid, with generated ids: names may contain any character. */
export function mermaidGraph(processes: readonly GraphProcess[]): string {
  const ids = new Map(processes.map(({ name }, index) => [name, `p${index}`]));
  const lines = ["flowchart LR"];
  for (const { name, command, state } of processes) {
    const label = [name, oneLine(command), ...(state === null ? [] : [state])].map(escapeMermaid).join("<br>");
    lines.push(`  ${ids.get(name)}["${label}"]`);
  }
  for (const process of processes) {
    for (const { name, condition } of process.depends_on) {
      const arrow = process.waiting_for.includes(name) ? "-.->" : "-->";
      lines.push(`  ${ids.get(process.name)} ${arrow}${condition === null ? "" : `|${escapeMermaid(condition)}|`} ${ids.get(name)}`);
    }
  }
  return lines.join("\n");
}

/** Joins the lines of a command. */
function oneLine(command: string): string {
  return visible(command.replaceAll(/\s*\n\s*/g, " ⏎ "));
}

function escapeDot(text: string): string {
  return visible(text).replaceAll("\\", "\\\\").replaceAll('"', '\\"');
}

/** Escapes characters as entities by number, which Mermaid writes without an ampersand. */
function escapeMermaid(text: string): string {
  return visible(text).replaceAll(/[#&<>"`|[\]{}()\\]/g, (char) => `#${char.charCodeAt(0)};`);
}
