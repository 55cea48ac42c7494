import type { ManagerCore } from "../../../app/feature.ts";
import type { HostSession } from "../../../app/hosts/host-session.ts";
import type { ManagerLaunch } from "../../../app/manager-options.ts";
import { MgrError, messageOf } from "../../../base/errors.ts";
import { visibleLines } from "../../../base/text/visible-text.ts";
import { MAX_MESSAGE_BYTES } from "../../../contract/messages.ts";
import { formatTime } from "../../../protocol/time.ts";
import type { EndedManager, Launch } from "../contract.ts";

/** Part of a message that is not the command: session, names of fields; bytes. */
const ENVELOPE_BYTES = 4_096;
/** Time for which the restart of the manager remains a condition, milliseconds: as long as a further end counts as the next in a row. */
const CONDITION_MS = 120_000;
const CONDITION = { kind: "manager_restarted", process: null, host: null } as const;

type Core = Pick<ManagerCore, "clock" | "log" | "hosts" | "hostName" | "events" | "conditions" | "config"> & { launch: ManagerLaunch };

/** Informs the daemon of this machine how to start the manager again after an unexpected end, and of an end that a user requested. */
export class ManagerRestart {
  readonly #core: Core;
  readonly #unsubscribe: () => void;
  /** Session of the host in which the daemon was told last. */
  #told: string | null = null;
  #isStarted = false;
  #isEnding = false;
  #timer: unknown = null;
  #problem = "";

  constructor(core: Core) {
    this.#core = core;
    this.#unsubscribe = core.events.subscribe((event) => {
      if (event.type === "host_upsert" && event.host.name === core.hostName) void this.#sync();
    });
  }

  /** The manager serves its clients: before that, its caller sees how it ends. Resolves when the daemon has been told, or cannot be. */
  started(): Promise<void> {
    this.#isStarted = true;
    return this.#sync();
  }

  reconfigured(): void {
    this.#told = null;
    void this.#sync();
  }

  ending(): void {
    this.#isEnding = true;
    const session = this.#session();
    if (session !== null) void this.#release(session);
  }

  close(): void {
    this.#isEnding = true;
    this.#unsubscribe();
    this.#core.clock.clearTimeout(this.#timer);
  }

  /** Informs the daemon once in each session. */
  async #sync(): Promise<void> {
    const session = this.#session();
    if (!this.#isStarted || this.#isEnding || session === null || session.session === this.#told) return;
    this.#told = session.session;
    await this.#tell(session);
  }

  async #tell(session: HostSession): Promise<void> {
    if (!this.#core.config().instance.restart_manager) return this.#release(session);
    try {
      const launch = sendable(this.#core.launch);
      const { replaced } = await session.command((id) => session.link.request("keep_manager", { session: id, pid: process.pid, launch }));
      if (replaced !== null) this.#report(replaced);
    } catch (error) {
      // A host that was lost is informed when it is back.
      if (session.isOpen) this.#complain(messageOf(error));
    }
  }

  async #release(session: HostSession): Promise<void> {
    // A daemon that has ended, or is older than this request, starts no manager.
    await session.command((id) => session.link.request("release_manager", { session: id })).catch(() => {});
  }

  #report(ended: EndedManager): void {
    const { clock, conditions, log } = this.#core;
    const { text, lastOutput } = endText(ended);
    log.error(`${text}${lastOutput === "" ? "; it wrote nothing to its standard error" : `. Its last output: ${lastOutput}`}`);
    conditions.raise({ ...CONDITION, text });
    clock.clearTimeout(this.#timer);
    this.#timer = clock.setTimeout(() => conditions.clear(CONDITION, "recovered"), CONDITION_MS);
  }

  #complain(problem: string): void {
    if (problem === this.#problem) return;
    this.#problem = problem;
    this.#core.log.warn(`this manager is not started again if it ends unexpectedly: ${problem}`);
  }

  #session(): HostSession | null {
    const session = this.#core.hosts.session(this.#core.hostName);
    return session?.isOpen ? session : null;
  }
}

/** Checks that a message has room for the command. */
function sendable({ executable, args, cwd, environment }: ManagerLaunch): Launch {
  const launch = { executable, args: [...args], cwd, environment: { ...environment } };
  const size = Buffer.byteLength(JSON.stringify(launch));
  const limit = MAX_MESSAGE_BYTES - ENVELOPE_BYTES;
  if (size > limit) throw new MgrError("too_large", `its command and environment have ${size} bytes, the limit is ${limit}`);
  return launch;
}

function endText({ pid, at, how, last_output, starts }: EndedManager): { text: string; lastOutput: string } {
  const manner = how === null ? "unexpectedly" : `unexpectedly (${how})`;
  const tries = starts > 1 ? `, at the ${starts}${starts === 2 ? "nd" : starts === 3 ? "rd" : "th"} try` : "";
  return {
    text: `the manager (pid ${pid}) ended ${manner} at ${formatTime(at)} and was started again by its daemon${tries}`,
    lastOutput: visibleLines(last_output.trim()),
  };
}
