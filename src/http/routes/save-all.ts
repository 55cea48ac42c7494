import { messageOf } from "../../base/errors.ts";
import { type ArchiveSource, archiveParts } from "../archive/archive-parts.ts";
import type { HttpLog } from "../log/http-log.ts";
import { refusal, refusalResponse } from "../request/refusal.ts";
import { needsInGeneral, type Route, type RouteContext } from "../route.ts";
import type { Followers } from "../server/open-connections.ts";

/** Maximum number of archives at once: each keeps a processor busy. */
const MAX_AT_ONCE = 2;
const MAX_NAME = 64;

export interface SaveAllOptions {
  readonly source: Omit<ArchiveSource, "principal">;
  readonly followers: Followers;
  readonly log: HttpLog;
}

/** `GET /save-all`: everything that is needed to diagnose this manager afterwards. */
export function saveAllRoute(options: SaveAllOptions): Route {
  let open = 0;
  const forget = () => {
    open--;
  };
  return {
    path: "/save-all",
    needs: needsInGeneral("admin"),
    method: "GET",
    effect: () => "Download the diagnostics archive",
    async handle(context) {
      const folder = archiveName(context.req.query("name"), options.source.control.state.manager.name);
      const headers = {
        "Content-Type": "application/x-bzip2",
        "Content-Disposition": `attachment; filename="${folder}.tar.bz2"`,
        "Cache-Control": "no-store",
      };
      if (context.req.method === "HEAD") return new Response(null, { headers });
      if (open >= MAX_AT_ONCE)
        return refusalResponse(
          refusal(503, `${MAX_AT_ONCE} archives are already being created. Try again later.`, { "Retry-After": "10" }),
        );
      open++;
      try {
        return new Response(await start(context, folder, options, forget), { headers });
      } catch (error) {
        forget();
        return refusalResponse(
          refusal(503, `Cannot start bzip2, which the archive needs (${messageOf(error)}). Install the package bzip2.`),
        );
      }
    },
  };
}

async function start(
  context: RouteContext,
  folder: string,
  { source, followers, log }: SaveAllOptions,
  onEnd: () => void,
): Promise<ReadableStream<Uint8Array>> {
  const { principal, sessionId } = context.get("admission");
  let forget: () => void = () => {};
  // Loaded on demand: half a megabyte of code that few managers ever need.
  const { Archive } = await import("../archive/archive.ts");
  const archive = await Archive.open({
    folder,
    parts: archiveParts({ ...source, principal }),
    onClosed: () => {
      forget();
      onEnd();
    },
    onBroken: context.env.disconnect,
    onDefect: (text) => log("error", text),
  });
  forget = followers.add({ principal, sessionId }, () => archive.close());
  return archive.readable();
}

/** The hint reduced to characters that are safe in a path and a header, else `<instance>-<YYYYMMDD-HHMMSS>` in UTC. */
export function archiveName(hint: string | undefined, instance: string): string {
  const name = (hint ?? "")
    .replace(/[^A-Za-z0-9._-]/g, "")
    .replace(/^\.+/, "")
    .slice(0, MAX_NAME);
  if (name !== "") return name;
  const [date = "", time = ""] = new Date().toISOString().replace(/[-:]/g, "").split("T");
  return `${instance}-${date}-${time.slice(0, 6)}`;
}
