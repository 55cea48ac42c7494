import { copyFile, rename, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { MgrError, messageOf } from "../../../base/errors.ts";
import { compileFnmatch } from "../../../base/patterns/fnmatch.ts";
import { CommandFailure, EXIT } from "../../../cli/command/exit-codes.ts";
import { withManager } from "../../../cli/manager/connection.ts";
import { type ConnectionFlags, findTarget } from "../../../cli/manager/connection-target.ts";
import { httpGet, saveResponse } from "../../../cli/manager/http-get.ts";
import { outputOf } from "../../../cli/manager/output-path.ts";
import { withPartialFile } from "../../../cli/manager/partial-file.ts";
import { makeFolders } from "../../../files/make-folders.ts";
import { SAMPLE_FORMATS, type SampleFormat } from "../samples/formats/formats.ts";
import { openRecorded } from "../samples/mcap/recorded-samples.ts";
import { repairMcap } from "../samples/mcap/repair.ts";
import { mergeMcap } from "../samples/merge/merge.ts";
import type { Recording } from "../wire.ts";
import { findRecording } from "./find-recordings.ts";
import { isFile } from "./info.ts";
import { damagedText, exportedText } from "./tables.ts";

export interface ExportFlags extends ConnectionFlags {
  format: "mcap" | SampleFormat;
  output?: string;
  topic?: string[];
  spreadsheet?: boolean;
  merge?: boolean;
  host?: string;
  file?: string;
}

type RecordedFile = Recording["files"][number];

/** `mgr record export NAME [FILE]`: exports the files of a recording, or its samples in another format. NAME may be a file of this machine. */
export async function recordExport(name: string, target: string | undefined, flags: ExportFlags): Promise<void> {
  if (flags.format === "mcap" && flags.topic !== undefined)
    throw new CommandFailure(EXIT.usage, "--topic needs another format than mcap: files are copied as they are");
  if (flags.format !== "mcap" && flags.merge)
    throw new CommandFailure(EXIT.usage, "--merge is for mcap: the other formats are one file anyway");
  if (flags.merge && isFile(name)) throw new CommandFailure(EXIT.usage, "--merge needs the name of a recording, whose files it merges");
  if (flags.format !== "csv" && flags.spreadsheet) throw new CommandFailure(EXIT.usage, "--spreadsheet needs --format csv");
  const source = isFile(name) ? null : await chosenFiles(name, flags);
  const title = source === null ? basename(name, ".mcap") : name;
  const given = outputOf(target, flags.output);
  const isMerged = flags.format === "mcap" && source !== null && (flags.merge === true || (isFile(given ?? "") && source.length > 1));
  const path = given ?? defaultPath(title, flags.format, isMerged ? [] : (source ?? []));
  if (await exists(path)) throw new CommandFailure(EXIT.failed, `${path} exists: remove it, or choose another name with --output`);
  // Partial files are beside the target: a recording may be larger than the folder of temporary files.
  await withPartialFile(path, async (folder) => {
    await makeFolders(folder, 0o700).catch((error: unknown) => {
      throw new CommandFailure(EXIT.failed, `${path} cannot be written: ${messageOf(error)}; choose another name with --output`);
    });
    const copies = source === null ? [await copied(name, folder)] : await downloaded(name, source, folder, flags);
    if (isMerged) await readable(name, () => merge({ title, copies, folder, path }));
    else if (flags.format === "mcap") await keep(copies, folder, path);
    else {
      const { format, topic: patterns, spreadsheet: forSpreadsheets = false } = flags;
      await readable(name, () => convert({ title, copies, folder, path, format, patterns, forSpreadsheets }));
    }
  });
  process.stdout.write(`${exportedText(path, source?.length ?? 1)}\n`);
}

/** Reports a damaged file in one sentence: it is not a defect of this program. */
async function readable<T>(name: string, read: () => Promise<T>): Promise<T> {
  return read().catch((error: unknown) => {
    if (error instanceof MgrError || error instanceof CommandFailure) throw error;
    throw new CommandFailure(EXIT.failed, `cannot export ${name}: ${messageOf(error)}`);
  });
}

async function chosenFiles(name: string, flags: ExportFlags): Promise<RecordedFile[]> {
  return withManager(flags, async (client) => {
    const { files } = await findRecording(client, name);
    const chosen = files.filter(
      ({ host, file }) => (flags.host === undefined || host === flags.host) && (flags.file === undefined || file === flags.file),
    );
    if (chosen.length === 0)
      throw new CommandFailure(
        EXIT.notFound,
        files.length === 0 ? `the recording '${name}' has no files` : `no such file; 'mgr record info' lists them`,
      );
    return chosen;
  });
}

/** Path in the current folder; several files of mcap get a folder. */
export function defaultPath(title: string, format: ExportFlags["format"], files: readonly RecordedFile[]): string {
  const name = title.replaceAll(/[^\p{L}\p{N}._-]/gu, "_").replace(/^\.+/, "") || "recording";
  if (format !== "mcap") return `${name}${SAMPLE_FORMATS[format].ending}`;
  return files.length > 1 ? name : `${name}.mcap`;
}

async function downloaded(name: string, files: readonly RecordedFile[], folder: string, flags: ConnectionFlags): Promise<string[]> {
  const connectionTarget = await findTarget(flags);
  const paths: string[] = [];
  for (const { host, file } of files) {
    const path = join(folder, basename(file));
    const query = new URLSearchParams({ name, host, file });
    await saveResponse(await httpGet(connectionTarget, `/mgr/recording?${query}`), path);
    // A file that is being written has no index yet.
    await readable(file, () => repairMcap(path));
    paths.push(path);
  }
  return paths;
}

async function copied(file: string, folder: string): Promise<string> {
  const path = join(folder, "file.mcap");
  try {
    await copyFile(file, path);
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
    throw new CommandFailure(isMissing ? EXIT.notFound : EXIT.failed, isMissing ? `there is no file ${file}` : messageOf(error));
  }
  await readable(file, () => repairMcap(path));
  return path;
}

async function keep(copies: readonly string[], folder: string, path: string): Promise<void> {
  const [only = ""] = copies;
  await rename(copies.length === 1 ? only : folder, path);
}

interface Merging {
  readonly title: string;
  readonly copies: readonly string[];
  readonly folder: string;
  readonly path: string;
}

async function merge({ title, copies, folder, path }: Merging): Promise<void> {
  const merged = join(folder, "merged.mcap");
  const parts = copies.map((copy) => ({ path: copy, host: null, offset: null, excluded: [] }));
  const files = copies.map((copy) => basename(copy));
  const { damaged } = await mergeMcap({ path: merged, parts, metadata: [], recording: { name: title, files } });
  for (const { part, reason } of damaged) process.stderr.write(`${damagedText(files[part] ?? "", reason)}\n`);
  await rename(merged, path);
}

interface Conversion extends Merging {
  readonly format: SampleFormat;
  readonly patterns: readonly string[] | undefined;
  readonly forSpreadsheets: boolean;
}

async function convert({ title, copies, folder, path, format, patterns, forSpreadsheets }: Conversion): Promise<void> {
  const matches = (patterns ?? ["*"]).map(compileFnmatch);
  const recorded = await openRecorded(title, copies, (topic) => matches.some((match) => match(topic)));
  try {
    if (recorded.topics.length === 0)
      throw new CommandFailure(EXIT.notFound, `no messages${patterns === undefined ? "" : ` of topics that match ${patterns.join(", ")}`}`);
    const write = await SAMPLE_FORMATS[format].writer();
    const part = join(folder, basename(path));
    await write(recorded, part, { forSpreadsheets });
    await rename(part, path);
  } finally {
    await recorded.close();
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
