import { visible } from "../../../base/text/visible-text.ts";
import type { HttpLog } from "../../../http/log/http-log.ts";
import { attachment } from "../../../http/request/attachment.ts";
import { refusal, refusalResponse } from "../../../http/request/refusal.ts";
import type { Route } from "../../../http/route.ts";
import type { Followers } from "../../../http/server/open-connections.ts";
import { isFlagSet } from "../../../transport/view.ts";
import { downloadResponse } from "../../recordings/manager/index.ts";
import { SAMPLE_FORMATS } from "../../recordings/samples/formats/formats.ts";
import { DOWNLOAD_FORMATS, type DownloadFormat, type Loggers } from "./loggers.ts";

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
      const { user } = context.get("admission").principal;
      const [stop, forSpreadsheets] = [isFlagSet(query, "stop"), isFlagSet(query, "spreadsheet")];
      const write = (signal: AbortSignal) => loggers.download({ name, format, stop, forSpreadsheets, signal }, user);
      return downloadResponse({ context, followers, log, headers, write });
    },
  };
}
