import { readFile } from "node:fs/promises";
import { arch, cpus, hostname, machine, platform, release, totalmem, uptime, version } from "node:os";
import { basename, relative } from "node:path";
import type { Control, RetainedOutput } from "../../actors/control.ts";
import type { Principal } from "../../base/access/principal.ts";
import { messageOf } from "../../base/errors.ts";
import { redactConfig } from "../../config/redact.ts";
import { transportExtensions } from "../../transport/extension.ts";
import { snapshotOf } from "../../transport/handlers/snapshot.ts";
import type { FeatureExtension } from "../extension.ts";
import { formatLogLine } from "../log/log-stream.ts";
import { VERSION } from "../package-files.ts";
import type { ArchivePart } from "./archive-part.ts";

export interface ArchiveSource {
  readonly control: Control;
  readonly extensions: readonly FeatureExtension[];
  readonly principal: Principal;
  readonly assetHash: string;
  /** Absolute paths of the configuration's files, the main one first. */
  readonly configFiles: () => readonly string[];
}

/**
 * The parts of `/save-all` (docs/design/wire-rules.md, "HTTP routes"), created one by one while the archive is written. No part contains a
 * secret of the manager.
 */
export async function* archiveParts({
  control,
  extensions,
  principal,
  assetHash,
  configFiles,
}: ArchiveSource): AsyncGenerator<ArchivePart> {
  const snapshot = snapshotOf({
    control,
    snapshotParts: transportExtensions(extensions),
    principal,
    assetHash,
    view: { kind: "full" },
    hiddenNames: null,
    logMinLevel: "info",
  });
  yield { name: "snapshot.json", content: json({ type: "snapshot", ...snapshot }) };
  yield { name: "environment.json", content: json(environmentOf(control.state.manager.name)) };
  yield* configParts(configFiles());
  yield { name: "manager.log", content: control.log.entries().map(formatLogLine).join("") };
  for (const { http } of extensions) if (http?.archiveParts) yield* http.archiveParts();
  for (const { name } of control.state.processes()) {
    // The process may have been removed meanwhile.
    if (control.state.process(name)) yield { name: `output/${fileNameOf(name)}.txt`, content: await outputOf(control, name) };
  }
}

async function* configParts(files: readonly string[]): AsyncGenerator<ArchivePart> {
  const [main] = files;
  if (main === undefined) return;
  const folder = main.slice(0, main.length - basename(main).length);
  for (const file of files) {
    const path = relative(folder, file);
    // Files outside the folder are stored under their absolute path, without `..`, which would lead out of the archive.
    const name = path.startsWith("..") ? `elsewhere${file}` : path;
    yield { name: `config/${fileNameOf(name)}`, content: await redactedFile(file) };
  }
}

async function redactedFile(file: string): Promise<string> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    return `# This file could not be read: ${messageOf(error)}\n`;
  }
  return redactConfig(text) ?? "# This file is omitted: it is not valid YAML, so its secrets cannot be identified.\n";
}

async function outputOf(control: Control, name: string): Promise<string | RetainedOutput> {
  try {
    return await control.terminals.retainedOutput(name);
  } catch (error) {
    return `[this output could not be read: ${messageOf(error)}]\n`;
  }
}

/** Maximum length of a file name on Linux, less room for a suffix, bytes. */
const MAX_SEGMENT_BYTES = 240;

/**
 * A process's name as a path: `/` separates folders. Characters that paths cannot contain are percent-encoded, and so is `.txt` at the end
 * of a group's name, which could be the file name of a process.
 */
export function fileNameOf(name: string): string {
  const segments = name.split("/");
  return segments
    .map((segment, index) => {
      const safe = segment.replace(/[%\\:]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
      const folder = index < segments.length - 1 ? safe.replace(/\.txt$/, "%2Etxt") : safe;
      return shortened(folder);
    })
    .join("/");
}

function shortened(segment: string): string {
  if (Buffer.byteLength(segment) <= MAX_SEGMENT_BYTES) return segment;
  let short = segment;
  // A long name is cut at the end: its beginning is enough to recognize it.
  while (Buffer.byteLength(short) > MAX_SEGMENT_BYTES) short = [...short].slice(0, -1).join("");
  return short;
}

/** The content of a JSON file. */
export function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** Versions and platform of the program, without environment variables. */
export function environmentOf(managerName: string): object {
  const memory = process.memoryUsage();
  return {
    mgr: { version: VERSION, instance: managerName, pid: process.pid, uptime_seconds: Math.round(process.uptime()) },
    node: { ...process.versions },
    platform: { platform: platform(), arch: arch(), machine: machine(), release: release(), version: version(), hostname: hostname() },
    machine: { cpus: cpus().length, cpu_model: cpus()[0]?.model ?? "", memory_bytes: totalmem(), uptime_seconds: Math.round(uptime()) },
    memory: { resident_bytes: memory.rss, heap_used_bytes: memory.heapUsed, external_bytes: memory.external },
  };
}
