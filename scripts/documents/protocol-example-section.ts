import { type Examples, type Frame, framesOf, type Step } from "./protocol-examples.ts";

/** Width up to which a value stands in one line. */
const WIDTH = 120;

/** The part of docs/protocol.md that shows conversations. */
export function exampleSection({ configuration, examples }: Examples): string {
  const conversations = examples.map(
    ({ title, steps }) => `### ${headingOf(title)}\n\n\`\`\`text\n${steps.map(stepText).join("\n")}\n\`\`\``,
  );
  return [
    "## Examples",
    `Conversations with a live manager, each checked against one by the tests: \`→\` goes to the manager, \`←\` comes from it.
Other frames that come in between are left out; an answer and the events that it brings may come in any order. The
manager runs this configuration:`,
    `\`\`\`yaml\n${configuration}\`\`\``,
    ...conversations,
  ].join("\n\n");
}

/** Where a frame is first seen in an example: a link's target by \`sent <type>\` or \`received <type>\`. */
export function exampleLinks({ examples }: Examples): ReadonlyMap<string, string> {
  const links = new Map<string, string>();
  for (const { title, steps } of examples) {
    for (const frame of steps.flatMap(framesOf)) if (!links.has(frame)) links.set(frame, anchorOf(headingOf(title)));
  }
  return links;
}

const headingOf = (title: string): string => `Example: ${title.charAt(0).toLowerCase()}${title.slice(1)}`;

/** The target that a heading gets where Markdown is shown. */
function anchorOf(heading: string): string {
  return `#${heading
    .toLowerCase()
    .replace(/[^a-z0-9 -]/g, "")
    .replaceAll(" ", "-")}`;
}

function stepText(step: Step): string {
  if ("happens" in step) return `  (${step.happens})`;
  return "send" in step ? arrow("→", step.send) : arrow("←", step.receive ?? { type: "?" });
}

function arrow(sign: string, frame: Frame): string {
  return `${sign} ${laidOut(frame, 2)}`;
}

/** JSON in as few lines as its width allows. */
function laidOut(value: unknown, indent: number): string {
  const line = oneLine(value);
  if (line.length + indent <= WIDTH || typeof value !== "object" || value === null) return line;
  const inner = " ".repeat(indent + 2);
  const close = " ".repeat(indent);
  if (Array.isArray(value)) return `[\n${value.map((item) => inner + laidOut(item, indent + 2)).join(",\n")}\n${close}]`;
  return `{\n${filled(Object.entries(value), indent + 2).join(",\n")}\n${close}}`;
}

/** Short fields share a line, long ones have their own. */
function filled(fields: [string, unknown][], indent: number): string[] {
  const lines: string[] = [];
  for (const [key, value] of fields) {
    const text = `${JSON.stringify(key)}: ${laidOut(value, indent)}`;
    const last = lines.at(-1);
    if (last !== undefined && !text.includes("\n") && !last.includes("\n") && last.length + text.length + 2 <= WIDTH)
      lines[lines.length - 1] = `${last}, ${text}`;
    else lines.push(" ".repeat(indent) + text);
  }
  return lines;
}

function oneLine(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(oneLine).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([key, field]) => `${JSON.stringify(key)}: ${oneLine(field)}`)
    .join(", ")}}`;
}
