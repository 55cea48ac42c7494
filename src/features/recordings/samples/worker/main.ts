// The worker thread that writes one file of samples: a download, or one file of several. Its heap is bounded, and the manager stays responsive.
import { parentPort, workerData } from "node:worker_threads";
import { MgrError, messageOf } from "../../../../base/errors.ts";
import { SAMPLE_FORMATS } from "../formats/formats.ts";
import { writeMcap } from "../formats/mcap.ts";
import { mergeMcap } from "../merge/merge.ts";
import { readSpooled } from "./spooled-samples.ts";
import type { WorkerJob, WorkerResult, WriteJob } from "./write-job.ts";

async function run({ kind, job }: WorkerJob): Promise<WorkerResult> {
  try {
    if (kind === "merge") return { error: null, merged: await mergeMcap(job) };
    await write(job);
    return { error: null, merged: null };
  } catch (error) {
    // Errors lose their codes when they are sent between threads.
    const isOwn = error instanceof MgrError;
    return { error: { isOwn, code: codeOf(error), message: messageOf(error) }, merged: null };
  }
}

async function write({ name, format, forSpreadsheets, path, topics }: WriteJob): Promise<void> {
  const writer = format === "mcap" ? writeMcap : await SAMPLE_FORMATS[format].writer();
  await writer({ name, topics: topics.map(readSpooled) }, path, { forSpreadsheets });
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}

parentPort?.postMessage(await run(workerData));
