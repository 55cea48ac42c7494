import { readFileSync } from "node:fs";
import { parse } from "yaml";

/** A frame as it goes over the wire. */
export interface Frame {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** One step of a conversation: what the client sends, what comes, or what happens to the machine meanwhile. */
export type Step =
  | { readonly send: Frame }
  | { readonly happens: string }
  /** `match`: which of the frames that come is meant, by some of its fields; `receive`: all of it, as recorded. */
  | { readonly match: object; readonly receive?: Frame };

export interface Example {
  readonly title: string;
  readonly steps: readonly Step[];
}

export interface Examples {
  /** Text of the configuration file that the manager of the conversations runs. */
  readonly configuration: string;
  readonly examples: readonly Example[];
}

export const EXAMPLES_FILE = new URL("../../docs/protocol-examples.yaml", import.meta.url);

export function readExamples(): Examples {
  return parse(readFileSync(EXAMPLES_FILE, "utf8")) as Examples;
}

/** The text of the file: its opening comment and configuration as they were, a step a line. */
export function examplesText(old: string, { examples }: Examples): string {
  const head = old.slice(0, old.indexOf("examples:\n"));
  const blocks = examples.map(({ title, steps }) => [`  - title: ${title}`, "    steps:", ...steps.flatMap(stepLines)].join("\n"));
  return `${head}examples:\n${blocks.join("\n")}\n`;
}

function stepLines(step: Step): string[] {
  if ("send" in step) return [`      - send: ${JSON.stringify(step.send)}`];
  if ("happens" in step) return [`      - happens: ${step.happens}`];
  const receive = step.receive ? [`        receive: ${JSON.stringify(step.receive)}`] : [];
  return [`      - match: ${JSON.stringify(step.match)}`, ...receive];
}

/** Types of the frames in a step, as `sent <type>` or `received <type>`. */
export function framesOf(step: Step): string[] {
  if ("send" in step) return [`sent ${step.send.type}`];
  return "match" in step && step.receive ? [`received ${step.receive.type}`] : [];
}
