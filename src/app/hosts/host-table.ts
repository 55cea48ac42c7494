import type { Cancellation } from "../../base/timing/cancellation.ts";
import type { StartPacer } from "../../base/timing/start-pacer.ts";
import type { HostLink } from "../../contract/host-link.ts";
import type { OutputWindow } from "../../contract/messages.ts";
import type { HostController } from "./host-controller.ts";
import type { HostSession } from "./host-session.ts";

interface ManagedHost {
  readonly controller: HostController;
  readonly pacer: StartPacer;
  readonly link: HostLink;
  /** Whether the host is no longer configured while processes on it are still being stopped. */
  isLeaving: boolean;
}

/** The hosts of this manager, by canonical name. `Hosts` adds and removes them; everything else only looks them up. */
export class HostTable extends Map<string, ManagedHost> {
  controller(host: string | null): HostController | null {
    return host === null ? null : (this.get(host)?.controller ?? null);
  }

  session(host: string | null): HostSession | null {
    return this.controller(host)?.session ?? null;
  }

  /** Whether the host is being removed, so that its processes have to move. */
  isLeaving(host: string): boolean {
    return this.get(host)?.isLeaving ?? false;
  }

  /** Hosts that are being removed. */
  leaving(): string[] {
    const leaving: string[] = [];
    for (const [host, { isLeaving }] of this) if (isLeaving) leaving.push(host);
    return leaving;
  }

  /** Resolves when one more process may be started on `host`. */
  startTurn(host: string, cancellation: Cancellation): Promise<void> {
    return this.get(host)?.pacer.turn(cancellation) ?? Promise.resolve();
  }

  window(host: string, windows: OutputWindow[]): void {
    const session = this.session(host);
    if (session?.isOpen) session.link.window({ session: session.session, windows });
  }
}
