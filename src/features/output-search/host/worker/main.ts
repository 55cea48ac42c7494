// The worker thread of one search. Its heap is bounded, and the host stays responsive whatever the pattern is.
import { parentPort, workerData } from "node:worker_threads";
import { PatternRefused } from "../../../../base/patterns/linear-regex.ts";
import type { SearchJob, SearchReply, SearchSettings } from "./messages.ts";
import { SearchThread } from "./search-thread.ts";
import { ownCpuMs, threadId } from "./thread-time.ts";

const settings: SearchSettings = workerData;
const send = (reply: SearchReply) => parentPort?.postMessage(reply);

try {
  const thread = new SearchThread({ settings, send, cpuMs: ownCpuMs });
  parentPort?.on("message", (job: SearchJob) => thread.run(job));
  send({ kind: "ready", thread: threadId() });
} catch (error) {
  if (!(error instanceof PatternRefused)) throw error;
  send({ kind: "refused", message: error.message });
}
