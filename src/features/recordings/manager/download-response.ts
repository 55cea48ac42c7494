import { isDiskFull, MgrError, messageOf } from "../../../base/errors.ts";
import { visible } from "../../../base/text/visible-text.ts";
import { type HttpLog, stackOf } from "../../../http/log/http-log.ts";
import { type Refusal, refusal, refusalResponse } from "../../../http/request/refusal.ts";
import type { RouteContext } from "../../../http/route.ts";
import { fileStream } from "../../../http/routes/file-stream.ts";
import type { Followers } from "../../../http/server/open-connections.ts";
import type { DownloadedFile } from "./downloads.ts";

const STATUS: Readonly<Record<string, number>> = { not_found: 404, conflict: 409, bad_field: 400, too_large: 413 };

interface DownloadResponseOptions {
  readonly context: RouteContext;
  readonly followers: Followers;
  readonly log: HttpLog;
  /** Headers beside the length. */
  readonly headers: Readonly<Record<string, string>>;
  /** Writes the file. The signal is aborted when the client has disconnected, or its login has ended. */
  readonly write: (signal: AbortSignal) => Promise<DownloadedFile>;
}

/** The answer with a file that is written for it: it begins when the file is complete and its length is known. */
export async function downloadResponse({ context, followers, log, headers, write }: DownloadResponseOptions): Promise<Response> {
  const { principal, sessionId } = context.get("admission");
  const { disconnect } = context.env;
  const { signal } = context.req.raw;
  const ended = new AbortController();
  // If the client's login ends while its file is written, it gets no file.
  const unsubscribe = followers.add({ principal, sessionId }, () => {
    ended.abort(new MgrError("forbidden", "the login has ended"));
    disconnect();
  });
  let file: DownloadedFile;
  try {
    file = await write(AbortSignal.any([signal, ended.signal]));
  } catch (error) {
    if (!(error instanceof MgrError) && !signal.aborted) log("error", `a download failed: ${stackOf(error)}`);
    return refusalResponse(refusalOf(error));
  } finally {
    unsubscribe();
  }
  const close = () => void file.close().catch((error: unknown) => log("error", `a download was not removed: ${messageOf(error)}`));
  if (signal.aborted || ended.signal.aborted) {
    close();
    return refusalResponse(refusal(503, "The client disconnected."));
  }
  const range = { from: 0, end: file.size };
  const body = fileStream({ context, followers, range, read: (from, max) => file.read(from, max), onEnd: close });
  return new Response(body, { headers: { ...headers, "Content-Length": String(file.size) } });
}

function refusalOf(error: unknown): Refusal {
  if (!(error instanceof MgrError)) return refusal(500, "Internal error. See the manager's log for details.");
  const text = visible(`${error.message}.`);
  if (error.code === "busy") return refusal(503, text, { "Retry-After": "10" });
  return refusal(STATUS[error.code] ?? (error.code === "internal" && !isDiskFull(error) ? 500 : 503), text);
}
