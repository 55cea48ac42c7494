import { totalmem } from "node:os";
import type { Clock } from "../../../base/clock.ts";
import { SerialQueue } from "../../../base/serial-queue.ts";
import { SlicedWork } from "../../../base/turns.ts";
import type { RequestOf, ResponseOf } from "../../../contract/messages.ts";
import type { TaskCell } from "../../../contract/tasks.ts";
import { UserNames } from "../../../daemon/process/user-names.ts";
import { ListPages } from "../../../daemon/session/list-pages.ts";
import { machineCpuNow } from "../../../daemon/tasks/machine-cpu.ts";
import { type RunLoad, sumLoads, ticksToMs } from "../../../daemon/tasks/run-loads.ts";
import { TaskOwners } from "../../../daemon/tasks/task-owners.ts";
import { TICKS_PER_SECOND, ticksSinceBoot } from "../../../daemon/tree/proc.ts";
import type { ProcessStat } from "../../../daemon/tree/process-stat.ts";
import type { RunOwners } from "../../../daemon/tree/tree-reaper.ts";
import { formatTime } from "../../../protocol/time.ts";
import type { TaskColumnName } from "../task-columns.ts";
import { TaskFilter } from "../task-filter.ts";
import { type CpuSample, CpuSamples, FIRST_INTERVAL_MS } from "./task-samples.ts";
import { environmentText, processOfThread, scanTasks, scanTicks, type Task, type TaskScope } from "./task-scan.ts";

interface TaskListOptions {
  clock: Clock;
  /** The current owners of processes. */
  owners: () => RunOwners;
  /** Of a run that is known. */
  nameOfRun: (runId: string) => string | null;
}

/** What one turn of the event loop may spend, milliseconds: keys that are typed into a terminal wait behind it. */
const SLICE_MS = 5;
/** Waiting lists, at most: one is built at a time, in some 50 ms. */
const MAX_WAITING = 64;
/** The start time of a task must not vary between answers because of the granularity of the clocks, milliseconds. */
const BOOT_TIME_TOLERANCE_MS = 100;

/** Lists of this host's tasks. Nothing is read, kept or sampled before the first request. */
export class TaskLists {
  readonly #options: TaskListOptions;
  readonly #samples = new CpuSamples();
  readonly #pages: ListPages;
  readonly #users = new UserNames();
  readonly #ownUser = process.geteuid?.() ?? 0;
  /** One list after the other. */
  readonly #lists = new SerialQueue({ max: MAX_WAITING, busy: "this host is asked for too many lists of tasks at once; try again" });
  readonly #work = new SlicedWork({ ms: SLICE_MS });
  #bootTime = 0;

  constructor(options: TaskListOptions) {
    this.#options = options;
    this.#pages = new ListPages(options.clock);
  }

  async make(request: Omit<RequestOf<"tasks">, "session">): Promise<ResponseOf<"tasks">> {
    const filter = new TaskFilter(request.filter);
    const scope = scopeOf(request, filter);
    const asker = `${request.requester} ${scope.threads} ${scope.pids ?? "all"}`;
    const base = this.#samples.base(asker, this.#options.clock.monotonic()) ?? (await this.#firstSample(scope));
    return this.#lists.run(async () => {
      const time = this.#options.clock.now();
      const rows = this.#pages.open();
      const sample = await this.#list({ request, filter, scope, base, add: (cells) => rows.add(cells) });
      this.#samples.keep(asker, sample);
      return { ...rows.end(), time };
    });
  }

  /** Use of the trees of the managed processes, and of the whole machine. */
  loads(): Promise<ResponseOf<"loads">> {
    return this.#lists.run(async () => {
      const loads = new Map<string, RunLoad>();
      await this.#work.run(sumLoads(new TaskOwners(this.#options.owners(), this.#options.nameOfRun), loads));
      const time = this.#options.clock.monotonic();
      const rows = this.#pages.open();
      for (const [name, { ticks, rssBytes, processes, age }] of loads)
        rows.add([name, ticksToMs(ticks), rssBytes, processes, ticksToMs(age)]);
      const machine = machineCpuNow();
      return { ...rows.end(), time, ...(machine === undefined ? {} : { machine }) };
    });
  }

  /** Throws `not_found`. */
  page(list: string, page: number): Buffer<ArrayBuffer> {
    return this.#pages.take(list, page);
  }

  close(): void {
    this.#pages.close();
  }

  async #firstSample(scope: TaskScope): Promise<CpuSample> {
    const sample = await this.#lists.run(async () => {
      const begun = this.#emptySample();
      await this.#work.run(scanTicks(scope, (stat, readAt) => begun.tasks.set(stat.pid, sampleOf(stat, readAt))));
      return begun;
    });
    await new Promise<void>((resolve) => void this.#options.clock.setTimeout(resolve, FIRST_INTERVAL_MS));
    return sample;
  }

  #emptySample(): CpuSample {
    return { at: this.#options.clock.monotonic(), readAt: performance.now(), tasks: new Map() };
  }

  /** Passes the rows that fit to `add`; returns the CPU time of all tasks in scope. */
  async #list({ request, filter, scope, base, add }: ListOrder): Promise<CpuSample> {
    this.#users.refresh();
    const sample = this.#emptySample();
    const bootTime = this.#bootTimeNow();
    const memory = totalmem();
    const owners = new TaskOwners(this.#options.owners(), this.#options.nameOfRun);
    const needsEnv = request.show_env || filter.has("env");
    const read: Task[] = [];
    await this.#work.run(
      scanTasks(scope, (task) => {
        read.push(task);
        sample.tasks.set(task.stat.pid, sampleOf(task.stat, task.readAt));
        if (task.stat.pid === task.process.pid) owners.know(task.stat);
      }),
    );
    const rowOf = ({ stat, process, affinity, readAt }: Task): TaskCell[] | null => {
      const cells: Record<TaskColumnName, TaskCell> = {
        pid: process.pid,
        tid: stat.pid,
        ppid: stat.ppid,
        user: this.#users.of(process.uid),
        process: owners.of(process.pid),
        name: stat.comm,
        state: stat.state,
        policy: stat.policy,
        prio: stat.prio,
        nice: stat.nice,
        affinity,
        processor: stat.processor,
        cpu_percent: load(stat, readAt, base),
        memory_rss: process.rss,
        memory_percent: rounded((100 * process.rss) / memory),
        threads: stat.threads,
        start_time: formatTime(bootTime + (1_000 * Number(stat.startTime)) / TICKS_PER_SECOND),
        cpu_time: stat.ticks / TICKS_PER_SECOND,
        command: process.command,
        env: needsEnv && this.#mayShowEnvironment(process.uid) ? environmentText(process.pid) : null,
      };
      if (!filter.accepts((key) => cells[key])) return null;
      return Object.values(request.show_env ? cells : { ...cells, env: null });
    };
    await this.#work.run(
      (function* () {
        for (const task of read) {
          const row = rowOf(task);
          if (row !== null) add(row);
          yield;
        }
      })(),
    );
    return sample;
  }

  /** A caller with access to our processes may run as our user; environments of other users stay hidden. */
  #mayShowEnvironment(uid: number): boolean {
    return this.#ownUser === 0 || uid === this.#ownUser;
  }

  /** When this machine booted, milliseconds since 1970, as the wall clock is set now. */
  #bootTimeNow(): number {
    const now = Date.now() - (1_000 * ticksSinceBoot()) / TICKS_PER_SECOND;
    if (Math.abs(now - this.#bootTime) > BOOT_TIME_TOLERANCE_MS) this.#bootTime = now;
    return this.#bootTime;
  }
}

interface ListOrder {
  request: Omit<RequestOf<"tasks">, "session">;
  filter: TaskFilter;
  scope: TaskScope;
  base: CpuSample;
  add: (cells: TaskCell[]) => void;
}

/** What has to be read: threads also if only one is requested by its number. */
function scopeOf({ show_threads }: { show_threads: boolean }, filter: TaskFilter): TaskScope {
  const pid = filter.only("pid");
  const tid = filter.only("tid");
  const owner = tid === null ? null : processOfThread(tid);
  const pids = pid !== null ? [pid] : tid === null ? null : owner === null ? [] : [owner];
  return { threads: show_threads || filter.has("tid"), pids };
}

/** Percent of one CPU since `base`; a task that did not exist then has used all of its time since. */
function load(stat: ProcessStat, readAt: number, base: CpuSample): number {
  const before = base.tasks.get(stat.pid);
  const isSame = before?.startTime === stat.startTime;
  const seconds = (readAt - (isSame ? before.readAt : base.readAt)) / 1_000;
  const used = (stat.ticks - (isSame ? before.ticks : 0)) / TICKS_PER_SECOND;
  return seconds > 0 ? rounded(Math.max(0, (100 * used) / seconds)) : 0;
}

const sampleOf = ({ ticks, startTime }: ProcessStat, readAt: number) => ({ ticks, startTime, readAt });
const rounded = (value: number) => Math.round(100 * value) / 100;
