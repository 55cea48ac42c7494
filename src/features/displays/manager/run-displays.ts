import type { ProcessTable } from "../../../app/processes/process-table.ts";
import type { RunAddition } from "../../../app/processes/run-extension.ts";
import { messageOf } from "../../../base/errors.ts";
import type { Cancellation } from "../../../base/timing/cancellation.ts";
import type { ProcessDefinition } from "../../../config/definition.ts";
import type { RunSpec } from "../../../contract/run.ts";
import type { LogBook } from "../../../log/log-book.ts";
import type { ConnectedGuis } from "./connected-guis.ts";
import { authorityOf } from "./display-server.ts";
import { isWebUser } from "./display-user.ts";
import type { PrivateDisplays } from "./private-displays.ts";
import type { WebStarters } from "./web-starters.ts";
import { withXDisplay, type XDisplay } from "./x-display.ts";

/** X display of a run: the part for the host, and the part for clients. */
interface RunDisplay {
  readonly x11: NonNullable<RunSpec["x11"]>;
  readonly shown: XDisplay;
}

/** The display is on another host than the process; the process's host passes its X clients to the manager. */
const FORWARDED = { forward: true } as const;

interface RunDisplaysOptions {
  processTable: ProcessTable;
  displays: PrivateDisplays;
  guis: Pick<ConnectedGuis, "desktopOf">;
  starters: WebStarters;
  log: LogBook;
  /** Environment of the manager: DISPLAY and XAUTHORITY are its own X display. */
  environment: NodeJS.ProcessEnv;
}

/** Selects the X display of each run by the options of its process. */
export class RunDisplays {
  readonly #options: RunDisplaysOptions;

  constructor(options: RunDisplaysOptions) {
    this.#options = options;
  }

  /** Implements `RunExtension.prepare`. */
  prepare(definition: ProcessDefinition, cancellation: Cancellation): Promise<RunAddition | null> | null {
    return definition.forward_x11 === null ? null : this.#addition(definition, cancellation.signal);
  }

  async #addition(definition: ProcessDefinition, signal: AbortSignal): Promise<RunAddition | null> {
    const display = await this.select(definition, signal);
    if (display === null) return null;
    const { x11, shown } = display;
    return {
      spec: { x11 },
      memo: (memo) => withXDisplay(memo, shown),
      begun: () => {
        if (shown.kind === "web" && shown.username !== null)
          this.#options.starters.displayUsed(definition.name, shown.display, shown.username);
      },
    };
  }

  /**
   * Null: no display was requested, or the log has the reason why there is none; the process starts anyway. Waits until a private display is
   * ready.
   */
  async select(definition: ProcessDefinition, signal: AbortSignal): Promise<RunDisplay | null> {
    const { forward_x11 } = definition;
    if (forward_x11 === null) return null;
    try {
      if (forward_x11.to === "vnc") return this.#ofProcess(definition, forward_x11.process);
      return await (forward_x11.to === "gui" ? this.#desktopOrPrivate(definition, signal) : this.#ownOrPrivate(definition, signal));
    } catch (error) {
      signal.throwIfAborted();
      const msg = `process '${definition.name}' is started without an X display: ${messageOf(error)}`;
      this.#options.log.warn(msg, [definition.name]);
      return null;
    }
  }

  #ofProcess({ host }: ProcessDefinition, target: string): RunDisplay {
    const server = this.#options.processTable.config.processes.get(target);
    if (!server?.vnc) throw new Error(`process '${target}' has no 'vnc' any more`);
    const isNear = server.host === host;
    const display = `${isNear ? "" : server.node}:${server.vnc.display}`;
    return {
      x11: isNear ? { display, authority: null } : FORWARDED,
      shown: { kind: "configured_vnc", display, username: null, peer: null, reason: "forward_x11_to_vnc" },
    };
  }

  async #ownOrPrivate(definition: ProcessDefinition, signal: AbortSignal): Promise<RunDisplay> {
    const { environment, starters } = this.#options;
    const { DISPLAY: own, XAUTHORITY: authority } = environment;
    if (own) {
      return {
        x11: definition.host === null ? { display: own, authority: authority || null } : FORWARDED,
        shown: { kind: "manager", display: own, username: null, peer: null, reason: "forward_x11" },
      };
    }
    const starter = starters.of(definition.name);
    if (starter === null || !isWebUser(starter.user))
      throw new Error("the manager has no display, and no web user has started the process: start it from the page once");
    return this.#private(definition, starter, signal);
  }

  async #desktopOrPrivate(definition: ProcessDefinition, signal: AbortSignal): Promise<RunDisplay> {
    const { guis, starters } = this.#options;
    const starter = starters.of(definition.name);
    if (starter === null) throw new Error("no user has started it: start it once, while 'mgr gui' runs on your desktop");
    const { user } = starter;
    const desktop = guis.desktopOf(user);
    if (desktop !== null)
      return {
        x11: FORWARDED,
        shown: { kind: "gui", display: desktop.display, username: user, peer: desktop.peer, reason: "forward_x11_to_gui" },
      };
    if (!isWebUser(user))
      throw new Error(`no desktop of '${user}' is connected: run 'mgr gui' there as this user, and start the process again`);
    return this.#private(definition, starter, signal);
  }

  /** Selects the private display of a web user. */
  async #private({ host }: ProcessDefinition, starter: { user: string; peer: string | null }, signal: AbortSignal): Promise<RunDisplay> {
    const record = await this.#options.displays.whenReady(starter.user, signal);
    const display = `:${record.display}`;
    return {
      x11: host === null ? { display, authority: authorityOf(record) } : FORWARDED,
      shown: { kind: "web", display, username: starter.user, peer: starter.peer, reason: "forward_x11_fallback" },
    };
  }
}
