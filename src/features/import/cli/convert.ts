import { dirname, resolve } from "node:path";
import { visible } from "../../../base/text/visible-text.ts";
import { beginningOfConfiguration, instanceName } from "../../../cli/commands/setup/new-configuration.ts";
import { sectionsText } from "./configuration-text.ts";
import type { KindName } from "./kind-names.ts";
import { ImportFailure, UnfitValue } from "./model/failure.ts";
import type { Entry } from "./model/findings.ts";
import { Result } from "./model/result.ts";
import { KINDS, recognise } from "./recognise.ts";
import type { Report } from "./report.ts";
import { settle } from "./settle.ts";
import { SourceFiles } from "./sources.ts";
import { Variables } from "./text/variables.ts";

export interface ConvertOptions {
  /** Null: it is recognised. */
  readonly from: KindName | null;
  /** Path of the new configuration, to which its paths are relative. */
  readonly target: string;
  readonly runJavascript: boolean;
  /** Whether files outside of the folder of the imported one are read that it names. */
  readonly outside?: boolean;
  /** Name of the instance; null: that of the imported file, or of its folder. */
  readonly name: string | null;
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

export interface Imported {
  /** The whole configuration. */
  readonly text: string;
  /** Its sections other than `instance`. */
  readonly sections: string;
  readonly report: Report;
}

/** Converts the file or folder at `path` into a configuration that passes the check. Throws ImportFailure. */
export async function convert(path: string, options: ConvertOptions): Promise<Imported> {
  const files = new SourceFiles();
  const found = await recognise(path, options.from, files);
  const result = new Result(files.nameOf(found.path));
  const variables = new Variables();
  const { title, convert: convertKind } = KINDS[found.kind];
  const target = resolve(options.target);
  const environment = options.environment ?? process.env;
  try {
    const { runJavascript, outside = false } = options;
    await convertKind(found.path, { result, variables, files, target: dirname(target), environment, outside, runJavascript });
  } catch (error) {
    if (error instanceof UnfitValue) throw new ImportFailure(`${files.nameOf(found.path)}: ${error.message}`);
    throw error;
  }
  result.resolveDependencies();
  const name = options.name ?? (result.instanceName === null ? undefined : instanceName(result.instanceName));
  const sections = () => sectionsText(result, variables);
  // What is about variables stands above all processes.
  const guesses = unique(result.findings.guessed.filter(({ process }) => process === null)).map(
    ({ key, why, place }) => `# guess: ${visible(`${key}: ${why} (line ${place.line})`)}\n`,
  );
  const head = `# Imported from ${visible(files.nameOf(found.path))} (${title}). Comments with "guess:" mark what to check; 'mgr check' validates the file.\n${guesses.join("")}`;
  const render = () => `${beginningOfConfiguration({ name, folder: dirname(target), authFile: null })}\n${head}${sections()}`;
  const text = settle(result, target, render);
  if (result.processes.length === 0) throw new NothingImported(reportOf(title, files, result));
  return { text, sections: `${head}${sections()}`, report: reportOf(title, files, result) };
}

/** No process was left. */
export class NothingImported extends ImportFailure {
  readonly report: Report;

  constructor(report: Report) {
    super(`${report.files.join(", ")}: no process could be imported`);
    this.report = report;
  }
}

function reportOf(kind: string, { names }: SourceFiles, { processes, findings }: Result): Report {
  const [carried, guessed, dropped] = [unique(findings.carried), unique(findings.guessed), unique(findings.dropped)];
  return { kind, files: names, processes: processes.map(({ name }) => name), carried, guessed, dropped };
}

/** Copies of a process have the same keys: each is reported once. */
function unique<Each extends Entry>(findings: readonly Each[]): Each[] {
  return [...new Map(findings.map((each) => [JSON.stringify({ ...each, process: null }), each])).values()];
}
