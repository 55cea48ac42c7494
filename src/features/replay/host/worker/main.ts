// The worker thread of one play. It reads the files and publishes as a client of the host's broker, so that neither delays the host.
import { parentPort, workerData } from "node:worker_threads";
import { MgrError, messageOf } from "../../../../base/errors.ts";
import type { PlayCommand, PlayError, PlayReply, PlaySettings } from "./messages.ts";
import { PlayThread } from "./play-thread.ts";

const settings: PlaySettings = workerData;
const send = (reply: PlayReply) => parentPort?.postMessage(reply);
const thread = new PlayThread(settings, send);

function sent(error: unknown): PlayError {
  // A file may be gone, or be unreadable: the system's sentence says it.
  return error instanceof MgrError
    ? { code: error.code, message: error.message }
    : { code: "internal", message: `the play failed: ${messageOf(error)}` };
}

parentPort?.on("message", (command: PlayCommand) => thread.receive(command));
thread.run().then(
  () => send({ kind: "ended", error: null }),
  (error: unknown) => send({ kind: "ended", error: sent(error) }),
);
