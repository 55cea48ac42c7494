import { randomUUID } from "node:crypto";
import type { HostSession } from "../../../app/hosts/host-session.ts";
import type { HostTable } from "../../../app/hosts/host-table.ts";
import type { ProcessTable } from "../../../app/processes/process-table.ts";
import type { Clock } from "../../../base/timing/clock.ts";
import { resolvesWithin } from "../../../base/timing/wait.ts";
import type { AnswerOf } from "../../../protocol/frames/frames.ts";
import { contains, type ViewMode } from "../../../transport/view.ts";
import { ChangedEnds } from "../changed-ends.ts";
import { MAX_ENDS } from "../contract.ts";

/** Interval of requests to hosts, milliseconds, however many clients there are. */
const ASK_EVERY_MS = 1_000;
/** Time that a client waits for a host, milliseconds: its processes are in a later answer then. */
const WAIT_MS = 1_000;

interface End {
  readonly offset: number;
  readonly stream_id: string;
}

interface OutputEndsOptions {
  readonly clock: Clock;
  readonly hosts: HostTable;
  readonly processes: Pick<ProcessTable, "outputHostOf" | "process">;
}

/** End of the output of each process. Hosts are queried only while clients request it. */
export class OutputEnds {
  readonly #options: OutputEndsOptions;
  /** Names this table for clients: numbers of another manager's table mean nothing here. */
  readonly #id = randomUUID().slice(0, 8);
  readonly #changed = new ChangedEnds<End>((a, b) => a.offset === b.offset && a.stream_id === b.stream_id);
  /** The last answer of each host: its stream, and the number for the next request. */
  readonly #answered = new Map<string, { streamId: string; next: number }>();
  readonly #asking = new Map<string, Promise<void>>();
  #askedAt = Number.NEGATIVE_INFINITY;

  constructor(options: OutputEndsOptions) {
    this.#options = options;
  }

  /** The ends that have changed since an answer with this `next`, as far as they are in view. Never rejects. */
  async since(after: string | undefined, view: ViewMode): Promise<AnswerOf<"request_output_ends">> {
    await this.#refresh();
    const { processes } = this.#options;
    this.#changed.keep((name) => processes.process(name) !== undefined);
    const [id, number] = after?.split(".") ?? [];
    const from = id === this.#id && /^\d{1,15}$/.test(number ?? "") ? Number(number) : 0;
    const { ends, next } = this.#changed.since(from, MAX_ENDS);
    return {
      type: "output_ends",
      ends: ends.flatMap(([name, end]) => (contains(view, name) ? { name, ...end } : [])),
      next: `${this.#id}.${next}`,
    };
  }

  async #refresh(): Promise<void> {
    const { clock, hosts } = this.#options;
    if (clock.monotonic() - this.#askedAt >= ASK_EVERY_MS) {
      this.#askedAt = clock.monotonic();
      for (const [host, { controller }] of hosts) this.#ask(host, controller.session);
      for (const host of this.#answered.keys()) if (!hosts.has(host)) this.#answered.delete(host);
    }
    if (this.#asking.size > 0) await resolvesWithin(Promise.all(this.#asking.values()), WAIT_MS, clock);
  }

  /** A host that does not answer is not asked again until then. */
  #ask(host: string, session: HostSession): void {
    if (!session.isOpen || this.#asking.has(host)) return;
    const asked = this.#request(host, session)
      .catch(() => {}) // A host that is away has nothing new.
      .finally(() => this.#asking.delete(host));
    this.#asking.set(host, asked);
  }

  async #request(host: string, session: HostSession): Promise<void> {
    const { processes } = this.#options;
    const { streamId } = session;
    if (streamId === null) return;
    const before = this.#answered.get(host);
    const after = before?.streamId === streamId ? before.next : 0;
    const { ends, next } = await session.command((id) => session.link.request("output_ends", { session: id, after }));
    if (session.streamId !== streamId) return;
    this.#answered.set(host, { streamId, next });
    // The ring of a process that has moved stays on its earlier host.
    for (const [name, offset] of ends) if (processes.outputHostOf(name) === host) this.#changed.set(name, { offset, stream_id: streamId });
  }
}
