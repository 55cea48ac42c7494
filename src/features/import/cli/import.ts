import { messageOf } from "../../../base/errors.ts";
import { visible } from "../../../base/text/visible-text.ts";
import { CommandFailure, EXIT } from "../../../cli/command/exit-codes.ts";
import { refuseExisting, writeNew } from "../../../cli/commands/setup/new-configuration.ts";
import { printJson } from "../../../cli/output/table.ts";
import { writeFileAtomically } from "../../../files/replace-file.ts";
import { convert, NothingImported } from "./convert.ts";
import type { KindName } from "./kind-names.ts";
import { ImportFailure } from "./model/failure.ts";
import { type Report, reportText } from "./report.ts";

/** The new file may hold secrets of an environment: only its owner can read it. */
const MODE = 0o600;

export interface ImportFlags {
  from?: KindName;
  output?: string;
  force?: boolean;
  check?: boolean;
  json?: boolean;
  name?: string;
  outside?: boolean;
  runJavascript?: boolean;
}

/** `mgr import PATH`: prints or writes a configuration, and reports what became of each key. */
export async function importConfiguration(path: string, flags: ImportFlags): Promise<void> {
  const { output, check = false } = flags;
  if (output !== undefined && !check && !flags.force) refuseExisting(output, "Name another file with -o, or add --force");
  const options = {
    from: flags.from ?? null,
    target: output ?? "mgr.yaml",
    runJavascript: flags.runJavascript ?? false,
    outside: flags.outside ?? false,
    name: flags.name ?? null,
  };
  try {
    const { text, report } = await convert(path, options);
    if (output !== undefined && !check) await write(output, text, flags.force ?? false);
    if (flags.json) printJson({ ...report, configuration: check || output !== undefined ? null : text });
    else printReport(report, check);
    if (output === undefined && !check && !flags.json) process.stdout.write(text);
    if (output !== undefined && !check && !flags.json) process.stderr.write(`${visible(output)}: written\n`);
  } catch (error) {
    if (error instanceof NothingImported) {
      if (flags.json) printJson({ ...error.report, configuration: null });
      else printReport(error.report, check);
    }
    throw error instanceof ImportFailure ? new CommandFailure(EXIT.failed, error.message) : error;
  }
}

/** The report is the result of `--check`; else it accompanies the configuration, which may go to stdout. */
function printReport(report: Report, isResult: boolean): void {
  (isResult ? process.stdout : process.stderr).write(reportText(report));
}

/** The sections of a new configuration, for `mgr init`. */
export async function importedSections(path: string, target: string): Promise<string> {
  try {
    const { sections, report } = await convert(path, { from: null, target, runJavascript: false, name: null });
    printReport(report, false);
    return sections;
  } catch (error) {
    throw error instanceof ImportFailure ? new CommandFailure(EXIT.failed, error.message) : error;
  }
}

async function write(path: string, text: string, force: boolean): Promise<void> {
  if (!force) return writeNew(path, text, MODE);
  await writeFileAtomically(path, text).catch((error: unknown) => {
    throw new CommandFailure(EXIT.failed, `cannot write ${path}: ${messageOf(error)}`);
  });
}
