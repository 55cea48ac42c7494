import { BehaviorSubject, Subject } from "rxjs";
import type { ManagerLink, ManagerLinkState } from "../../../src/client/link/manager-link.ts";
import type { ClientFrame, ManagerFrame } from "../../../src/protocol/frames/frames.ts";

/** A link whose other end is the test. */
export class FakeLink implements ManagerLink {
  readonly frames$ = new Subject<ManagerFrame>();
  readonly state$ = new BehaviorSubject<ManagerLinkState>({ kind: "open" });
  readonly sent: ClientFrame[] = [];
  readonly isFull = false;

  send(frame: ClientFrame): boolean {
    if (this.state$.value.kind !== "open") return false;
    this.sent.push(frame);
    return true;
  }

  close(reason = "closed by this program"): void {
    if (this.state$.value.kind === "closed") return;
    this.state$.next({ kind: "closed", reason });
    this.frames$.complete();
  }

  /** A frame from the manager. */
  say(frame: Record<string, unknown>): void {
    this.frames$.next(frame as unknown as ManagerFrame);
  }

  lose(): void {
    this.state$.next({ kind: "waiting", attempt: 1, retry_ms: 5, reason: "lost" });
  }
}
