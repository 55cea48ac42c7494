import type { Backlog, BacklogRange, OutputReader, RetainedOutput, Terminals } from "../../actors/control.ts";
import type { TerminalSize } from "../../actors/process/process-types.ts";
import type { ActorSystem } from "../../actors/system.ts";
import { messageOf } from "../../base/errors.ts";
import type { Clock } from "../../base/timing/clock.ts";
import type { LogBook } from "../../log/log-book.ts";
import type { ProcessSessions } from "../processes/process-sessions.ts";
import type { ProcessTable } from "../processes/process-table.ts";
import { readBacklog } from "./backlog.ts";
import { openOutput } from "./output-reader.ts";
import { retainedOutput } from "./retained-output.ts";
import type { TerminalSizes } from "./terminal-sizes.ts";
import { Resizer } from "./terminal-sizes.ts";

interface ProcessTerminalsOptions {
  processTable: ProcessTable;
  sessions: ProcessSessions;
  system: ActorSystem;
  /** Keeps a terminal's size across restarts of the manager. */
  sizes: TerminalSizes;
  log: LogBook;
  clock: Clock;
}

export class ProcessTerminals implements Terminals {
  readonly #options: ProcessTerminalsOptions;
  readonly #resizer = new Resizer((name, size) => this.#sendSize(name, size));

  constructor(options: ProcessTerminalsOptions) {
    this.#options = options;
  }

  // Not async: an immediate refusal must come in the turn of its frame, before the answers to later frames.
  sendStdin(name: string, text: string): Promise<void> {
    const { sessions } = this.#options;
    const { session, runId } = sessions.ofRun(sessions.lasting(name));
    return session.command(async (id) => void (await session.link.request("write", { session: id, run_id: runId, text })));
  }

  resize(name: string, { rows, cols }: TerminalSize): void {
    const { sessions, system, sizes } = this.#options;
    sessions.lasting(name);
    system.send("process", name, { type: "winch", rows, cols });
    sizes.keep(name, { rows, cols });
    this.#resizer.resize(name, { rows, cols });
  }

  size(name: string): TerminalSize {
    const { sessions, system } = this.#options;
    const { terminal } = sessions.definition(name);
    const { rows, cols } = system.get("process", name)?.getSnapshot().context.size ?? terminal;
    return { rows, cols };
  }

  async backlog(name: string, range: BacklogRange): Promise<Backlog> {
    const { sessions, clock } = this.#options;
    return readBacklog(sessions.ofOutput(name), name, range, () => clock.now());
  }

  async retainedOutput(name: string): Promise<RetainedOutput> {
    return retainedOutput(this.#options.sessions.ofOutput(name), name);
  }

  async openOutput(name: string): Promise<OutputReader> {
    return openOutput(this.#options.sessions.ofOutput(name), name);
  }

  async #sendSize(name: string, { rows, cols }: TerminalSize): Promise<void> {
    const { processTable, sessions, log } = this.#options;
    if (processTable.process(name)?.pid == null || processTable.livingRun(name) === null || !sessions.isReachable(name)) return;
    const { session, runId } = sessions.ofRun(name);
    try {
      await session.command((id) => session.link.request("resize", { session: id, run_id: runId, rows, cols }));
    } catch (error) {
      // The size is kept for the next run anyway; a run that has ended meanwhile needs none.
      log.debug(`resizing '${name}' to ${cols}×${rows}: ${messageOf(error)}`, [name]);
    }
  }
}
