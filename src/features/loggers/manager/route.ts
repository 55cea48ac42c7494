import { isDiskFull, MgrError, messageOf } from "../../../base/errors.ts";
import { visible } from "../../../base/visible-text.ts";
import { type HttpLog, stackOf } from "../../../http/log/http-log.ts";
import { attachment } from "../../../http/request/attachment.ts";
import { type Refusal, refusal, refusalResponse } from "../../../http/request/refusal.ts";
import type { Route } from "../../../http/route.ts";
import { fileStream } from "../../../http/routes/file-stream.ts";
import type { Followers } from "../../../http/server/open-connections.ts";
import { isFlagSet } from "../../../transport/view.ts";
import { SAMPLE_FORMATS } from "../../recordings/samples/formats/formats.ts";
import { DOWNLOAD_FORMATS, type DownloadedFile, type DownloadFormat, type Loggers } from "./loggers.ts";

const STATUS: Readonly<Record<string, number>> = { not_found: 404, conflict: 409, bad_field: 400, too_large: 413 };
const TYPES: Partial<Record<DownloadFormat, string>> = { raw: "application/x-tar", csv: "application/zip" };

interface LoggerDownloadOptions {
  readonly loggers: Loggers;
  readonly followers: Followers;
  readonly log: HttpLog;
}

/** `GET /mgr/logger-download`: the samples of a logger as one file. The response begins when the file is complete and its length is known. */
export function loggerDownloadRoute({ loggers, followers, log }: LoggerDownloadOptions): Route {
  return {
    path: "/mgr/logger-download",
    needs: (query) => ({ need: isFlagSet(query, "stop") ? "operator" : "download", on: null }),
    method: "GET",
    effect: (query) => (isFlagSet(query, "stop") ? `Stop the logger ${query.get("name")} and download its samples` : null),
    async handle(context) {
      const query = new URL(context.req.url).searchParams;
      const { name, format: asked = "pickle" } = context.req.query();
      const format = DOWNLOAD_FORMATS.find((each) => each === asked);
      if (!name)
        return refusalResponse(refusal(400, "Give the name of the logger: /mgr/logger-download?name=NAME. request_loggers lists them."));
      if (format === undefined)
        return refusalResponse(refusal(400, visible(`There is no format '${asked}'; use ${DOWNLOAD_FORMATS.join(", ")}.`)));
      const headers = {
        "Content-Type": TYPES[format] ?? "application/octet-stream",
        "Content-Disposition": attachment(name, format === "mcap" ? ".mcap" : SAMPLE_FORMATS[format].ending, "logger"),
        "Cache-Control": "no-store",
      };
      if (context.req.method === "HEAD") {
        const isThere = loggers.list().some((logger) => logger.name === name);
        return isThere ? new Response(null, { headers }) : refusalResponse(refusal(404, visible(`There is no logger '${name}'.`)));
      }
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
        const [stop, forSpreadsheets] = [isFlagSet(query, "stop"), isFlagSet(query, "spreadsheet")];
        const request = { name, format, stop, forSpreadsheets, signal: AbortSignal.any([signal, ended.signal]) };
        file = await loggers.download(request, principal.user);
      } catch (error) {
        if (!(error instanceof MgrError) && !signal.aborted) log("error", `a download of a logger failed: ${stackOf(error)}`);
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
    },
  };
}

function refusalOf(error: unknown): Refusal {
  if (!(error instanceof MgrError)) return refusal(500, "Internal error. See the manager's log for details.");
  const text = visible(`${error.message}.`);
  if (error.code === "busy") return refusal(503, text, { "Retry-After": "10" });
  return refusal(STATUS[error.code] ?? (error.code === "internal" && !isDiskFull(error) ? 500 : 503), text);
}
