// The worker thread that writes one download of samples. Its heap is bounded, and the manager stays responsive.
import { parentPort, workerData } from "node:worker_threads";
import { MgrError, messageOf } from "../../../../base/errors.ts";
import { SAMPLE_FORMATS } from "../formats/formats.ts";
import { writeMcap } from "../formats/mcap.ts";
import { readSpooled } from "./spooled-samples.ts";
import type { WriteJob, WriteResult } from "./write-job.ts";

const { name, format, forSpreadsheets, path, topics }: WriteJob = workerData;

async function write(): Promise<WriteResult> {
  const writer = format === "mcap" ? writeMcap : await SAMPLE_FORMATS[format].writer();
  try {
    await writer({ name, topics: topics.map(readSpooled) }, path, { forSpreadsheets });
    return { error: null };
  } catch (error) {
    // Errors lose their codes when they are sent between threads.
    const isOwn = error instanceof MgrError;
    return { error: { isOwn, code: codeOf(error), message: messageOf(error) } };
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}

parentPort?.postMessage(await write());
