import { randomUUID } from "node:crypto";
import { type Condition, type ConditionChange, conditionId } from "../../../app/conditions.ts";
import type { ManagerCore } from "../../../app/feature.ts";
import { StateWriter } from "../../../app/state/state-writer.ts";
import { MgrError } from "../../../base/errors.ts";
import { visible } from "../../../base/text/visible-text.ts";
import { formatTime } from "../../../protocol/time.ts";
import type { Notification, Silence } from "../notification.ts";
import { titleOf } from "../notification-text.ts";
import { Deliveries } from "./deliveries/deliveries.ts";
import { kindOf, type SendOn, waySender } from "./deliveries/ways.ts";
import type { KeptFile } from "./kept-state.ts";
import type { Notifications, Overview, TestResult } from "./notifications.ts";
import { overviewOf } from "./overview.ts";
import { isGood } from "./process-conditions.ts";
import { itemsOf } from "./rules/batch.ts";
import type { Moment } from "./rules/moment.ts";
import { Rules } from "./rules/rules.ts";
import { Silences } from "./silences.ts";

/** Changes within this time are handled together, and at most one event about all of them is sent, milliseconds. */
const SETTLE_MS = 100;
/** Maximum interval between two checks of the rules, milliseconds: the wall clock may be stepped. */
const MAX_WAIT_MS = 60_000;
/** Time after the start by which a condition of an earlier manager has been raised again if it still lasts, milliseconds. */
const CONFIRM_MS = 60_000;
/** Longest time for the first attempts of what is sent when an essential process has ended, before the manager ends, milliseconds. */
const MAX_LAST_MS = 5_000;

/** Whether a condition is a reason for the end of `mgr up`. It is not over before that. */
const isEndOfManager = ({ kind }: Condition): boolean => kind === "essential_ended";

export interface ManagerNotificationsOptions
  extends Pick<ManagerCore, "clock" | "conditions" | "config" | "events" | "hostEntries" | "log" | "processes"> {
  readonly file: KeptFile;
  /** For tests; omitted: the ways of the configuration. */
  readonly send?: SendOn;
}

/** Applies the rules to the conditions of this instance, and sends notifications. */
export class ManagerNotifications implements Notifications {
  readonly #options: ManagerNotificationsOptions;
  readonly #rules: Rules;
  readonly #silences: Silences;
  readonly #deliveries: Deliveries;
  readonly #writer: StateWriter;
  readonly #send: SendOn;
  readonly #testing = new Set<string>();
  readonly #end = new AbortController();
  /** Conditions that were raised since the start; null: those of the earlier manager are decided. */
  #raised: Set<string> | null = new Set();
  #unsubscribe: (() => void) | null = null;
  #timer: unknown = null;
  /** Monotonic time at which the timer fires. */
  #due = Number.POSITIVE_INFINITY;
  #confirmation: unknown = null;
  #announcement: unknown = null;
  #savedRevision = 0;
  #closing: Promise<void> | null = null;

  constructor(options: ManagerNotificationsOptions) {
    this.#options = options;
    const { clock, config, file, log } = options;
    this.#send = options.send ?? waySender(options);
    const tagsOf = (process: string) => config().processes.get(process)?.tags ?? [];
    this.#silences = new Silences(() => clock.now(), tagsOf);
    this.#rules = new Rules({
      tagsOf,
      isSilenced: (condition) => this.#silences.holds(condition),
    });
    this.#writer = new StateWriter(() => file.save(this.#kept()));
    this.#deliveries = new Deliveries({
      clock,
      send: this.#send,
      save: () => this.#writer.save(),
      changed: () => this.#announce(),
      warn: (msg) => log.warn(visible(msg)),
    });
  }

  /** Continues with what an earlier manager kept. */
  begin(): void {
    const { clock, config, file } = this.#options;
    const { waiting, history, silences } = file.content;
    this.#silences.restore(silences);
    this.#deliveries.restore(waiting, history);
    this.#rules.configure(config().notifications, new Map(), this.#now());
    this.#rules.restore(file.content, this.#now());
    this.#confirmation = clock.setTimeout(() => this.#confirm(), CONFIRM_MS);
    this.#follow();
    this.#deliveries.start();
  }

  reconfigure(): void {
    const { conditions, config } = this.#options;
    this.#rules.configure(config().notifications, conditions.present, this.#now());
    // Revisions of new rules count from the beginning.
    this.#savedRevision = -1;
    this.#follow();
    this.#changed();
  }

  overview(): Overview {
    const { config } = this.#options;
    return overviewOf({
      settings: config().notifications,
      rules: this.#rules.all,
      now: this.#now(),
      deliveries: this.#deliveries,
      silences: this.#silences,
    });
  }

  async silence(request: Parameters<Silences["add"]>[0]): Promise<Silence> {
    const silence = this.#silences.add(request);
    const { id, pattern, until, reason, by } = silence;
    this.#options.log.info(
      visible(`notifications about '${pattern}' are silenced until ${until} UTC by ${by} (${id}): ${reason || "no reason given"}`),
    );
    this.#changed();
    await this.#writer.save();
    return silence;
  }

  async endSilence(id: string, by: string): Promise<void> {
    const { pattern } = this.#silences.remove(id);
    this.#options.log.info(visible(`the silence of '${pattern}' (${id}) was ended by ${by}`));
    this.#changed();
    await this.#writer.save();
  }

  async test(way: string, by: string): Promise<TestResult> {
    const { config } = this.#options;
    if (!config().notifications.ways.has(way)) throw new MgrError("not_found", `there is no way '${way}' in the configuration`);
    if (this.#testing.has(way)) throw new MgrError("busy", `a test of '${way}' is under way`);
    this.#testing.add(way);
    try {
      const { kind, text } = await this.#send(way, testOf(config().instance.name, by, this.#now()), this.#end.signal);
      return { sent: kind === "sent", result: text };
    } finally {
      this.#testing.delete(way);
    }
  }

  /** Ends at once, unless an essential process has ended: the manager ends because of it, and sends that before. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const { clock } = this.#options;
    this.#end.abort(new MgrError("shutting_down", "the manager is shutting down"));
    this.#unsubscribe?.();
    for (const timer of [this.#timer, this.#confirmation, this.#announcement]) clock.clearTimeout(timer);
    if (this.#addDue(this.#now(), isEndOfManager)) await this.#deliveries.finish(MAX_LAST_MS);
    this.#deliveries.close();
    if (this.#rules.revision !== this.#savedRevision) await this.#writer.save();
  }

  /** Reads conditions only while there are rules: some sources cost something. */
  #follow(): void {
    const { conditions } = this.#options;
    const isNeeded = this.#rules.all.length > 0;
    if (isNeeded && this.#unsubscribe === null) {
      this.#unsubscribe = conditions.subscribe((change) => this.#onChange(change));
      for (const [id, condition] of conditions.present) this.#raise(id, condition);
    }
    if (!isNeeded) {
      this.#unsubscribe?.();
      this.#unsubscribe = null;
    }
    this.#wake(SETTLE_MS);
  }

  #onChange(change: ConditionChange): void {
    if (change.kind === "raised") this.#raise(change.id, change.condition);
    else this.#rules.clear(change.id, change.end, this.#now());
    this.#changed();
  }

  #raise(id: string, condition: Condition): void {
    this.#raised?.add(id);
    this.#rules.raise(id, condition, this.#now());
  }

  #changed(): void {
    this.#wake(SETTLE_MS);
    this.#announce();
  }

  /** Checks the rules after this time at the latest. */
  #wake(milliseconds: number): void {
    const { clock } = this.#options;
    const due = clock.monotonic() + milliseconds;
    if (this.#end.signal.aborted || due >= this.#due) return;
    clock.clearTimeout(this.#timer);
    this.#due = due;
    this.#timer = clock.setTimeout(() => this.#advance(), milliseconds);
  }

  #advance(): void {
    this.#due = Number.POSITIVE_INFINITY;
    const now = this.#now();
    if (this.#addDue(now)) this.#announce();
    if (this.#rules.revision !== this.#savedRevision) {
      this.#savedRevision = this.#rules.revision;
      void this.#writer.save();
    }
    this.#deliveries.start();
    const next = this.#rules.next(now);
    const waits = [next === null ? MAX_WAIT_MS : next - now.mono, this.#silences.untilNextEnd() ?? MAX_WAIT_MS, MAX_WAIT_MS];
    this.#wake(Math.max(SETTLE_MS, Math.min(...waits)));
  }

  /** Makes deliveries of what is due; returns whether there are any. */
  #addDue(now: Moment, isUrgent?: (condition: Condition) => boolean): boolean {
    const due = this.#rules.advance(now, isUrgent);
    for (const { rule, batch } of due) {
      const ways = rule.rule.ways.flatMap((name) => {
        const way = this.#options.config().notifications.ways.get(name);
        return way === undefined ? [] : [{ name, kind: kindOf(way) }];
      });
      this.#deliveries.add(this.#notification(rule.name, batch.entries.values(), now), ways);
    }
    return due.length > 0;
  }

  #notification(rule: string, entries: Parameters<typeof itemsOf>[0], { wall }: Moment): Notification {
    const { items, more } = itemsOf(entries);
    const title = titleOf(this.#options.config().instance.name, items, more);
    return { key: randomUUID(), rule, time: formatTime(wall), title, items, more };
  }

  /** Ends conditions of an earlier manager that nothing has raised again. Those of hosts that are away are not known yet. */
  #confirm(): void {
    const { clock, hostEntries } = this.#options;
    const ready = new Map(hostEntries().map(({ name, state }) => [name, state === "ready"]));
    let isUnknown = false;
    const old = new Map(this.#rules.all.flatMap(({ state }) => [...state.tracked].map(([id, each]) => [id, each.condition] as const)));
    for (const [id, condition] of old) {
      if (this.#raised?.has(id)) continue;
      if (condition.host !== null && ready.get(condition.host) === false) isUnknown = true;
      else this.#rules.clear(id, this.#endOf(condition), this.#now());
    }
    if (isUnknown) this.#confirmation = clock.setTimeout(() => this.#confirm(), CONFIRM_MS);
    else this.#raised = null;
    this.#changed();
  }

  #endOf({ process, host, kind }: Condition): "recovered" | "ended" {
    const { hostEntries, processes } = this.#options;
    if (process === null) return kind === "host_lost" && hostEntries().some(({ name }) => name === host) ? "recovered" : "ended";
    const resource = processes.process(process);
    return resource !== undefined && isGood(resource) ? "recovered" : "ended";
  }

  /** Lets pages know that the overview has changed. */
  #announce(): void {
    const { clock, events } = this.#options;
    if (this.#announcement !== null || this.#end.signal.aborted) return;
    this.#announcement = clock.setTimeout(() => {
      this.#announcement = null;
      events.publish({ type: "notifications_changed" });
    }, SETTLE_MS);
  }

  #kept() {
    const { waiting, history } = this.#deliveries;
    return { ...this.#rules.kept(this.#now()), waiting: [...waiting], history: [...history], silences: this.#silences.list() };
  }

  #now(): Moment {
    const { clock } = this.#options;
    return { wall: clock.now(), mono: clock.monotonic() };
  }
}

function testOf(instance: string, by: string, { wall }: Moment): Notification {
  const condition = { kind: "test", process: null, host: null, text: `test of this way, requested by ${visible(by)}` };
  const { items } = itemsOf([{ id: conditionId(condition), condition, status: "raised", since: wall, until: null, times: 1 }]);
  return { key: randomUUID(), rule: "test", time: formatTime(wall), title: `[${instance}] Test notification`, items, more: 0 };
}
