import { MgrError, messageOf } from "../../../base/errors.ts";
import { visible } from "../../../base/text/visible-text.ts";
import type { HttpLog } from "../../../http/log/http-log.ts";
import { attachment } from "../../../http/request/attachment.ts";
import { refusal, refusalResponse } from "../../../http/request/refusal.ts";
import { needsInGeneral, type Route, type RouteContext } from "../../../http/route.ts";
import { type ByteRange, fileStream } from "../../../http/routes/file-stream.ts";
import type { Followers } from "../../../http/server/open-connections.ts";
import { isFlagSet } from "../../../transport/view.ts";
import { downloadResponse } from "./download-response.ts";
import type { RecordedFileReader, Recordings } from "./recordings.ts";

const STATUS: Readonly<Record<string, 404 | 409 | 503>> = { not_found: 404, conflict: 409 };

/**
 * `GET /mgr/recording`: a file of a recording from its host, whole or one range of bytes; of a growing file, the bytes that exist now. With `merge`: one
 * file with the messages of all files.
 */
export function recordingRoutes(recordings: Recordings, followers: Followers, log: HttpLog): Route[] {
  // Viewers tell the format of a file by the end of the path: the last part of the second one has no other meaning.
  return ["/mgr/recording", "/mgr/recording/:label"].map((path) => recordingRoute(path, { recordings, followers, log }));
}

interface RecordingRouteOptions {
  readonly recordings: Recordings;
  readonly followers: Followers;
  readonly log: HttpLog;
}

function recordingRoute(path: string, options: RecordingRouteOptions): Route {
  const { recordings, followers } = options;
  return {
    path,
    takesUrlToken: true,
    needs: needsInGeneral("download"),
    method: "GET",
    async handle(context) {
      const { name, host, file } = context.req.query();
      if (name && isFlagSet(new URL(context.req.url).searchParams, "merge")) return mergedFile(context, name, options);
      if (!name || !host || !file)
        return refusalResponse(
          refusal(400, "Give name, host and file of the recording, or name and merge=1: request_recordings lists them."),
        );
      try {
        const reader = await recordings.open(name, host, file);
        return rangedFile(context, file, reader, followers);
      } catch (error) {
        const status = error instanceof MgrError ? (STATUS[error.code] ?? 503) : 503;
        return refusalResponse(refusal(status, visible(`${messageOf(error)}.`)));
      }
    },
  };
}

/** The answer with all files in one. It is written for each request, so that it has no ranges. */
async function mergedFile(context: RouteContext, name: string, { recordings, followers, log }: RecordingRouteOptions): Promise<Response> {
  const headers = {
    "Content-Type": "application/octet-stream",
    "Content-Disposition": attachment(name, ".mcap", "recording"),
    "Accept-Ranges": "none",
    "Cache-Control": "no-store",
  };
  if (context.req.method === "HEAD") {
    const isThere = recordings.list().some((recording) => recording.name === name);
    return isThere ? new Response(null, { headers }) : refusalResponse(refusal(404, visible(`There is no recording '${name}'.`)));
  }
  return downloadResponse({ context, followers, log, headers, write: (signal) => recordings.merge(name, signal) });
}

/** The answer with a file, or with the range of it that the request names. `file` is the name for the download. */
export function rangedFile(context: RouteContext, file: string, reader: RecordedFileReader, followers: Followers): Response {
  const { size } = reader;
  const range = rangeOf(context.req.header("range"), size);
  if (range === null) {
    return refusalResponse(refusal(416, `The file has ${size} bytes.`, { "Content-Range": `bytes */${size}` }));
  }
  const { from, end } = range ?? { from: 0, end: size };
  const headers = {
    "Content-Type": "application/octet-stream",
    // File names were percent-encoded when they were created; other names are refused.
    "Content-Disposition": `attachment; filename="${file.replaceAll(/[^A-Za-z0-9._%~-]/g, "_")}"`,
    "Content-Length": String(end - from),
    "Accept-Ranges": "bytes",
    "Cache-Control": "no-store",
    ...(range === undefined ? {} : { "Content-Range": `bytes ${from}-${end - 1}/${size}` }),
  };
  const status = range === undefined ? 200 : 206;
  if (context.req.method === "HEAD") return new Response(null, { status, headers });
  const body = fileStream({ context, followers, range: { from, end }, read: (at, max) => reader.read(at, max) });
  return new Response(body, { status, headers });
}

/** The requested range. Undefined: the whole file, also for a malformed header or several ranges. Null: the range does not exist. */
export function rangeOf(header: string | undefined, size: number): ByteRange | undefined | null {
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.trim() ?? "");
  if (match === null) return undefined;
  const [, first = "", last = ""] = match;
  if (first === "") {
    if (last === "") return undefined;
    const from = Math.max(0, size - Number(last));
    return Number(last) === 0 || size === 0 ? null : { from, end: size };
  }
  const from = Number(first);
  if (last !== "" && Number(last) < from) return undefined;
  if (from >= size) return null;
  return { from, end: last === "" ? size : Math.min(size, Number(last) + 1) };
}
