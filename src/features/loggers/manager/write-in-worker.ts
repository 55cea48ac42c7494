import { Worker } from "node:worker_threads";
import { type AnyErrorCode, MgrError } from "../../../base/errors.ts";
import { packageFile } from "../../../http/package-files.ts";
import type { WriteJob, WriteResult } from "../../recordings/samples/worker/write-job.ts";

/** The bundled `samples/worker` of the recordings; the path is right from src/ and from dist/. */
const BUNDLE = packageFile("dist/sample-writer.mjs");
/** Heap limits in MiB. Columns are made of one sample at a time; the old generation is for the largest. Garbage would fill any young generation. */
const LIMITS = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 8 };

/**
 * Writes a file of samples in a worker thread, so that the manager stays responsive and its heap does not grow. Rejects with the writer's error,
 * with `too_large` if a sample needs more memory than the worker has, and with the signal's reason.
 */
export async function writeInWorker(job: WriteJob, signal: AbortSignal, limits = LIMITS): Promise<void> {
  signal.throwIfAborted();
  const worker = new Worker(BUNDLE, { workerData: job, resourceLimits: limits, execArgv: [] });
  let result: WriteResult | null = null;
  let failure: unknown = null;
  worker.on("message", (message: WriteResult) => {
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
  const problem = problemOf(result, failure, { limits, format: job.format });
  if (problem !== null) throw problem;
}

function problemOf(
  result: WriteResult | null,
  failure: unknown,
  { limits, format }: { limits: typeof LIMITS; format: string },
): Error | null {
  if (result === null) {
    const isOutOfMemory = failure instanceof Error && "code" in failure && failure.code === "ERR_WORKER_OUT_OF_MEMORY";
    const reason = `a sample is too large to be written as ${format}: more than ${limits.maxOldGenerationSizeMb} MiB of memory would be needed. Download as raw or mcap.`;
    return isOutOfMemory
      ? new MgrError("too_large", reason)
      : new MgrError("internal", `the file could not be written as ${format}`, { cause: failure });
  }
  const { error } = result;
  if (error === null) return null;
  // The code in the worker's message is from an MgrError.
  return error.isOwn
    ? new MgrError(error.code as AnyErrorCode, error.message)
    : Object.assign(new Error(error.message), { code: error.code });
}
