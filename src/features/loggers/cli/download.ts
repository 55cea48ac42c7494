import { pipeline } from "node:stream/promises";
import { visible } from "../../../base/text/visible-text.ts";
import { CommandFailure, EXIT } from "../../../cli/command/exit-codes.ts";
import { withManager } from "../../../cli/manager/connection.ts";
import { type ConnectionFlags, findTarget } from "../../../cli/manager/connection-target.ts";
import { fileNameOf, httpGet, saveResponse } from "../../../cli/manager/http-get.ts";
import { outputOf } from "../../../cli/manager/output-path.ts";
import { findLogger } from "./find-loggers.ts";

export interface DownloadFlags extends ConnectionFlags {
  format: string;
  stop?: boolean;
  spreadsheet?: boolean;
  output?: string;
}

/** `mgr logger download NAME [FILE]`: the samples of a logger; `-` is stdout. */
export async function loggerDownload(name: string, file: string | undefined, flags: DownloadFlags): Promise<void> {
  const target = outputOf(file, flags.output);
  await requireLogger(name, flags);
  const { format, stop, spreadsheet } = flags;
  if (format !== "csv" && spreadsheet) throw new CommandFailure(EXIT.usage, "--spreadsheet needs --format csv");
  const query = new URLSearchParams({ name, format, ...(stop ? { stop: "1" } : {}), ...(spreadsheet ? { spreadsheet: "1" } : {}) });
  const response = await httpGet(await findTarget(flags), `/mgr/logger-download?${query}`);
  if (target === "-") return pipeline(response, process.stdout);
  const path = target ?? fileNameOf(response, `logger.${flags.format}`);
  process.stdout.write(`${downloadedText(path, await saveResponse(response, path))}\n`);
}

/** Fails with a suggestion if the name is unknown. */
async function requireLogger(name: string, flags: ConnectionFlags): Promise<void> {
  await withManager(flags, async (client) => {
    await findLogger(client, name);
  });
}

export function downloadedText(path: string, bytes: number): string {
  return visible(`${path}: ${bytes} bytes`);
}
