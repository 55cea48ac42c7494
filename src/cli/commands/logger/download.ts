import { pipeline } from "node:stream/promises";
import { visible } from "../../../base/visible-text.ts";
import { findLogger } from "../../loggers/find-loggers.ts";
import { connectManager } from "../../manager/connection.ts";
import { fileNameOf, httpGet, saveResponse } from "../../manager/http-get.ts";
import { type ConnectionFlags, findWay } from "../../manager/way.ts";

export interface DownloadFlags extends ConnectionFlags {
  format: string;
  stop?: boolean;
}

/** `mgr logger download NAME [FILE]`: the samples of a logger; `-` is stdout. */
export async function loggerDownload(name: string, target: string | undefined, flags: DownloadFlags): Promise<void> {
  await requireLogger(name, flags);
  const query = new URLSearchParams({ name, format: flags.format, ...(flags.stop ? { stop: "1" } : {}) });
  const response = await httpGet(await findWay(flags), `/mgr/logger-download?${query}`);
  if (target === "-") return pipeline(response, process.stdout);
  const path = target ?? fileNameOf(response, `logger.${flags.format}`);
  process.stdout.write(`${downloadedText(path, await saveResponse(response, path))}\n`);
}

/** An unknown name gets a suggestion. */
async function requireLogger(name: string, flags: ConnectionFlags): Promise<void> {
  const client = await connectManager(flags);
  try {
    await findLogger(client, name);
  } finally {
    client.close();
  }
}

export function downloadedText(path: string, bytes: number): string {
  return visible(`${path}: ${bytes} bytes`);
}
