import type { Control, OutputReader } from "../../../actors/control.ts";
import { MgrError, messageOf } from "../../../base/errors.ts";
import { isWithin } from "../../../base/text/names.ts";
import { visible } from "../../../base/text/visible-text.ts";
import { extentOfRun } from "../../../client/run-extent.ts";
import type { HttpServices } from "../../../http/extension.ts";
import { stackOf } from "../../../http/log/http-log.ts";
import { attachment } from "../../../http/request/attachment.ts";
import { refusal, refusalResponse } from "../../../http/request/refusal.ts";
import type { Route, RouteContext } from "../../../http/route.ts";
import { DownloadLimits } from "./download-limits.ts";
import { type DownloadQuery, downloadQuery } from "./download-query.ts";
import { downloadStream } from "./download-stream.ts";
import { note, type OutputFormat, type OutputRange, outputBytes } from "./output-bytes.ts";
import { type ZipFile, ZipPaths, zipBytes } from "./output-zip.ts";

/** Bytes of the end of an output in which the last lines are searched. */
const MAX_EXCERPT_BYTES = 512 * 1024;
/** Excerpts at the same time: each is read before it is sent. */
const EXCERPT_LIMITS = { ofUser: 6, inAll: 16 };
const NEWLINE = 0x0a;
const STATUS: Readonly<Record<string, number>> = { not_found: 404, conflict: 409, busy: 429 };
const ENDINGS: Readonly<Record<OutputFormat, string>> = { text: ".txt", raw: ".ansi" };

/** `GET /mgr/output`: kept output of a process as a file, or that of the processes of a group as a zip (docs/output.md, "Download"). */
export function outputRoute(services: HttpServices): Route {
  const downloads = new DownloadLimits();
  const excerpts = new DownloadLimits(EXCERPT_LIMITS);
  return {
    path: "/mgr/output",
    needs: (query) => ({ need: "download", on: query.get("name") || query.get("group") || null }),
    method: "GET",
    async handle(context) {
      const query = downloadQuery(new URL(context.req.url).searchParams);
      if (typeof query === "string") return refusalResponse(refusal(400, visible(query)));
      const { principal } = context.get("admission");
      const limits = query.lines === null ? downloads : excerpts;
      let end = () => {};
      try {
        const source = await sourceOf(query, services.control);
        if (context.req.method === "HEAD") return new Response(null, { headers: headersOf(source) });
        end = limits.begin(principal.user);
        const bytes = await source.bytes();
        return new Response(bodyOf(bytes, { context, services, onEnd: end }), { headers: headersOf(source) });
      } catch (error) {
        end();
        if (!(error instanceof MgrError)) services.log("error", `a download of output failed: ${stackOf(error)}`);
        return refused(error);
      }
    },
  };
}

interface Source {
  readonly type: string;
  readonly fileName: string;
  readonly ending: string;
  bytes(): Promise<AsyncGenerator<Uint8Array>>;
}

const headersOf = ({ type, fileName, ending }: Source) => ({
  "Content-Type": type,
  "Content-Disposition": attachment(fileName, ending, "output"),
  "Cache-Control": "no-store",
});

function bodyOf(
  bytes: AsyncGenerator<Uint8Array>,
  { context, services, onEnd }: { context: RouteContext; services: HttpServices; onEnd: () => void },
): ReadableStream<Uint8Array> {
  const onDefect = (error: unknown) => services.log("error", `a download of output could not be finished: ${stackOf(error)}`);
  return downloadStream({ context, followers: services.followers, bytes, onEnd, onDefect });
}

function refused(error: unknown): Response {
  if (!(error instanceof MgrError)) return refusalResponse(refusal(500, "Internal error. See the manager's log for details."));
  const status = STATUS[error.code] ?? 503;
  return refusalResponse(refusal(status, visible(`${error.message}.`), status === 429 ? { "Retry-After": "10" } : {}));
}

/** Resolves with what is sent for a query. Rejects with what refuses it. */
function sourceOf(query: DownloadQuery, control: Control): Promise<Source> {
  return query.target.kind === "group" ? zipSource(query, control) : fileSource(query, control);
}

async function fileSource({ target: { name }, format, run, lines }: DownloadQuery, control: Control): Promise<Source> {
  // Opened first: the end of a run must not be older than the output.
  const reader = await control.terminals.openOutput(name);
  const { range, runNumber } = rangeOf(reader, { name, run, control });
  return {
    type: format === "text" ? "text/plain; charset=utf-8" : "application/octet-stream",
    fileName: runNumber === null ? name : `${name} run ${runNumber}`,
    ending: ENDINGS[format],
    bytes: async () => outputBytes(reader, lines === null ? range : await lastLines(reader, range, lines), format),
  };
}

function rangeOf(
  reader: OutputReader,
  { name, run, control }: { name: string; run: number | null; control: Control },
): { range: OutputRange; runNumber: number | null } {
  if (run === null) return { range: { begin: reader.start, end: reader.end }, runNumber: null };
  const { history } = control.state.processDetail(name);
  const found = extentOfRun({ name, history, run, output: { offset: reader.end, stream_id: reader.streamId } });
  return { range: { begin: found.begin, end: Math.min(found.end, reader.end) }, runNumber: found.run.number };
}

/** The part of a range that has its last lines, and at most MAX_EXCERPT_BYTES. */
async function lastLines(reader: OutputReader, { begin, end }: OutputRange, lines: number): Promise<OutputRange> {
  const from = Math.max(begin, reader.start, end - MAX_EXCERPT_BYTES);
  const parts: { from: number; data: Uint8Array }[] = [];
  for await (const part of reader.parts(from, end)) parts.push(part);
  let missing = lines;
  for (const { from: start, data } of parts.toReversed()) {
    // A line end at the very end ends the last line, it does not begin another.
    for (let index = Math.min(data.length, end - start) - 1; index >= 0; index--) {
      if (data[index] === NEWLINE && start + index + 1 < end && --missing === 0) return { begin: start + index + 1, end };
    }
  }
  return { begin: Math.max(from, Math.min(parts[0]?.from ?? from, end)), end };
}

async function zipSource({ target: { name }, format, run }: DownloadQuery, control: Control): Promise<Source> {
  const members = control.state
    .processes()
    .map((process) => process.name)
    .filter((each) => name === "" || (each !== name && isWithin(each, name)));
  if (members.length === 0)
    throw new MgrError("not_found", name === "" ? "no processes are configured" : `there is no group '${name}' with processes`);
  const folder = name === "" ? control.state.manager.name : name;
  const files = async function* (): AsyncGenerator<ZipFile> {
    const paths = new ZipPaths(folder.replaceAll("/", "-"), ENDINGS[format]);
    for (const member of members) yield { path: paths.of(member), bytes: memberBytes(member, { format, run, control }) };
  };
  return { type: "application/zip", fileName: folder, ending: ".zip", bytes: async () => zipBytes(files()) };
}

/** The output of one process of a group; if it cannot be read, a note says so, and the other files are not affected. */
async function* memberBytes(
  name: string,
  { format, run, control }: { format: OutputFormat; run: number | null; control: Control },
): AsyncGenerator<Uint8Array> {
  let opened: { reader: OutputReader; range: OutputRange };
  try {
    const reader = await control.terminals.openOutput(name);
    opened = { reader, range: rangeOf(reader, { name, run, control }).range };
  } catch (error) {
    yield note(messageOf(error));
    return;
  }
  yield* outputBytes(opened.reader, opened.range, format);
}
