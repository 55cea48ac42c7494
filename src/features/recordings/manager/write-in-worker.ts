import { Worker } from "node:worker_threads";
import { type AnyErrorCode, MgrError } from "../../../base/errors.ts";
import { packageFile } from "../../../http/package-files.ts";
import type { Merged, MergeJob } from "../samples/merge/merge.ts";
import type { WorkerJob, WorkerResult, WriteJob } from "../samples/worker/write-job.ts";

/** The bundled `samples/worker`; the path is right from src/ and from dist/. */
const BUNDLE = packageFile("dist/sample-writer.mjs");
/** Heap limits in MiB. Columns are made of one sample at a time; the old generation is for the largest. Garbage would fill any young generation. */
const LIMITS = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 8 };

/**
 * Writes a file of samples in a worker thread, so that the manager stays responsive and its heap does not grow. Rejects with the writer's error,
 * with `too_large` if a sample needs more memory than the worker has, and with the signal's reason.
 */
export async function writeInWorker(job: WriteJob, signal: AbortSignal, limits = LIMITS): Promise<void> {
  const { format } = job;
  await run({ kind: "write", job }, signal, limits, {
    tooLarge: `a sample is too large to be written as ${format}: more than ${limits.maxOldGenerationSizeMb} MiB of memory would be needed. Download as raw or mcap.`,
    failed: `the file could not be written as ${format}`,
  });
}

/** Merges MCAP files in a worker thread. Rejects as `writeInWorker` does. */
export async function mergeInWorker(job: MergeJob, signal: AbortSignal): Promise<Merged> {
  const failed = "the files could not be merged";
  const { merged } = await run({ kind: "merge", job }, signal, LIMITS, {
    tooLarge: `the files are too large to be merged: more than ${LIMITS.maxOldGenerationSizeMb} MiB of memory would be needed`,
    failed,
  });
  if (merged === null) throw new MgrError("internal", failed);
  return merged;
}

/** Sentences about a worker that ended without a result. */
interface Failures {
  readonly tooLarge: string;
  readonly failed: string;
}

async function run(job: WorkerJob, signal: AbortSignal, limits: typeof LIMITS, failures: Failures): Promise<WorkerResult> {
  signal.throwIfAborted();
  const worker = new Worker(BUNDLE, { workerData: job, resourceLimits: limits, execArgv: [] });
  let result: WorkerResult | null = null;
  let failure: unknown = null;
  worker.on("message", (message: WorkerResult) => {
    result = message;
  });
  worker.on("error", (error) => {
    failure = error;
  });
  const end = () => void worker.terminate();
  signal.addEventListener("abort", end);
  await new Promise((resolve) => worker.once("exit", resolve));
  signal.removeEventListener("abort", end);
  signal.throwIfAborted();
  return resultOf(result, failure, failures);
}

function resultOf(result: WorkerResult | null, failure: unknown, { tooLarge, failed }: Failures): WorkerResult {
  if (result === null) {
    const isOutOfMemory = failure instanceof Error && "code" in failure && failure.code === "ERR_WORKER_OUT_OF_MEMORY";
    throw isOutOfMemory ? new MgrError("too_large", tooLarge) : new MgrError("internal", failed, { cause: failure });
  }
  const { error } = result;
  if (error === null) return result;
  // The code in the worker's message is from an MgrError.
  throw error.isOwn
    ? new MgrError(error.code as AnyErrorCode, error.message)
    : Object.assign(new Error(error.message), { code: error.code });
}
