import { existsSync, readdirSync, readFileSync } from "node:fs";
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
  /** Title of the example that an example of a feature follows. */
  readonly after?: string;
  readonly steps: readonly Step[];
}

export interface Examples {
  /** Text of the configuration file that the manager of the conversations runs. */
  readonly configuration: string;
  readonly examples: readonly Example[];
}

const DOCUMENT = new URL("../../docs/protocol-examples.yaml", import.meta.url);
const FEATURES = new URL("../../src/features/", import.meta.url);

/** The files with examples: of the core, and of each feature. */
export function exampleFiles(): URL[] {
  const files = readdirSync(FEATURES).map((name) => new URL(`${name}/protocol-examples.yaml`, FEATURES));
  return [DOCUMENT, ...files.filter((file) => existsSync(file))];
}

/** All examples in the order of the conversation. */
export function readExamples(): Examples {
  const [core, ...features] = exampleFiles().map((file) => parse(readFileSync(file, "utf8")) as Examples);
  const examples = [...(core?.examples ?? [])];
  let left = features.flatMap((each) => each.examples);
  // An example may come after one of another feature. Those after an example that is not there come last.
  for (let placed = -1; placed !== left.length; ) {
    placed = left.length;
    left = left.filter((example) => {
      const before = examples.findIndex(({ title }) => title === example.after);
      if (before >= 0) examples.splice(before + 1, 0, example);
      return before < 0;
    });
  }
  return { configuration: core?.configuration ?? "", examples: [...examples, ...left] };
}

/** The text of a file with its examples as they are in `all`: what stands before them as it was, a step a line. */
export function examplesText(old: string, all: readonly Example[]): string {
  const own = (parse(old) as Examples).examples.map(({ title, after }) => ({ title, after, steps: stepsOf(all, title) }));
  const head = old.slice(0, old.indexOf("examples:\n"));
  const blocks = own.map(({ title, after, steps }) =>
    [`  - title: ${title}`, ...(after === undefined ? [] : [`    after: ${after}`]), "    steps:", ...steps.flatMap(stepLines)].join("\n"),
  );
  return `${head}examples:\n${blocks.join("\n")}\n`;
}

const stepsOf = (all: readonly Example[], wanted: string): readonly Step[] => all.find(({ title }) => title === wanted)?.steps ?? [];

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
