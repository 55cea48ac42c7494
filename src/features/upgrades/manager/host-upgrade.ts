import type { ManagerCore } from "../../../app/feature.ts";
import { MgrError } from "../../../base/errors.ts";
import { untilWithin } from "../../../base/timing/wait.ts";

/** Time limit for a host to connect before, milliseconds. */
const CONNECT_MS = 10_000;
/** Time limit for a daemon to greet the manager with its new program, milliseconds: Node starts in seconds on a busy machine. */
const BACK_MS = 60_000;

export interface HostUpgrade {
  /** Any name of the host. */
  readonly host: string;
  readonly program: string | null;
  readonly node: string | null;
}

/** Resolves with the versions when the host is connected again. Rejects as the host refuses, and with `timeout`. */
export async function upgradeHost(
  { hosts, named, hostEntries, events, clock, log }: Pick<ManagerCore, "hosts" | "named" | "hostEntries" | "events" | "clock" | "log">,
  { host, program, node }: HostUpgrade,
): Promise<{ from: string | null; to: string | null }> {
  const name = named.canonical(host);
  for (const [field, path] of Object.entries({ program, node }))
    if (path?.startsWith("/") === false) throw new MgrError("bad_field", `'${field}' must be an absolute path on the host '${name}'`);
  const versionNow = () => hostEntries().find((entry) => entry.name === name)?.version ?? null;
  const from = versionNow();
  // A manager that has just replaced its own program may still wait for the host.
  await hosts
    .session(name)
    ?.whenOpen(AbortSignal.timeout(CONNECT_MS))
    .catch(() => {});
  const before = named.session(name);
  const { session: id } = before;
  const { version } = await before.command((session) => before.link.request("replace_program", { session, program, node }));
  log.info(`the daemon of host '${name}' replaces its program (version ${from ?? "unknown"}) by version ${version ?? "unknown"}`);
  const isBack = () => {
    const now = hosts.session(name);
    return now?.isOpen === true && now.session !== id;
  };
  const subscribe = (check: () => void) =>
    events.subscribe((event) => {
      if (event.type === "host_upsert" && event.host.name === name) check();
    });
  if (await untilWithin(isBack, subscribe, { forMs: BACK_MS, clock })) return { from, to: version ?? versionNow() };
  throw new MgrError(
    "timeout",
    `the daemon of host '${name}' did not come back with its new program within ${BACK_MS / 1_000} s; its daemon.log has the reason`,
  );
}
