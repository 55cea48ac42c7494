import { totalmem } from "node:os";
import { type Clock, pause } from "../../../base/timing/clock.ts";
import type { SlicedWork } from "../../../base/timing/turns.ts";
import type { RequestOf, ResponseOf } from "../../../contract/messages.ts";
import type { ListBuilder } from "../../../daemon/lists/list-builder.ts";
import { TICKS_PER_SECOND, ticksSinceBoot } from "../../../daemon/proc/proc.ts";
import type { ProcessStat } from "../../../daemon/proc/process-stat.ts";
import { UserNames } from "../../../daemon/process/user-names.ts";
import type { TaskOwners } from "../../../daemon/tree/task-owners.ts";
import { formatTime } from "../../../protocol/time.ts";
import type { TaskCell } from "../contract.ts";
import type { TaskColumnName } from "../task-columns.ts";
import { TaskFilter } from "../task-filter.ts";
import { type CpuSample, CpuSamples, FIRST_INTERVAL_MS } from "./task-samples.ts";
import { environmentText, processOfThread, scanTasks, scanTicks, type Task, type TaskSelection } from "./task-scan.ts";

interface TaskListsOptions {
  clock: Clock;
  lists: ListBuilder;
  /** Creates the lookup of managed processes for one list. */
  owners: () => TaskOwners;
}

/** Maximum change of the computed boot time that is ignored, milliseconds: start times must not vary with the granularity of the clocks. */
const BOOT_TIME_TOLERANCE_MS = 100;

/** Lists of this host's tasks. Nothing is read, kept or sampled before the first request. */
export class TaskLists {
  readonly #options: TaskListsOptions;
  readonly #samples = new CpuSamples();
  readonly #users = new UserNames();
  readonly #ownUser = process.geteuid?.() ?? 0;
  #bootTime = 0;

  constructor(options: TaskListsOptions) {
    this.#options = options;
  }

  async make(request: Omit<RequestOf<"tasks">, "session">): Promise<ResponseOf<"tasks">> {
    const filter = new TaskFilter(request.filter);
    const selection = selectionOf(request, filter);
    const asker = `${request.requester} ${selection.threads} ${selection.pids ?? "all"}`;
    const base = this.#samples.base(asker, this.#options.clock.monotonic()) ?? (await this.#firstSample(selection));
    const { lists, clock } = this.#options;
    return lists.run(async (work) => {
      const time = clock.now();
      const rows = lists.pages.open();
      const sample = await this.#list({ request, filter, selection, base, work, add: (cells) => rows.add(cells) });
      this.#samples.keep(asker, sample);
      return { ...rows.end(), time };
    });
  }

  async #firstSample(selection: TaskSelection): Promise<CpuSample> {
    const sample = await this.#options.lists.run(async (work) => {
      const begun = this.#emptySample();
      await work.run(scanTicks(selection, (stat, readAt) => begun.tasks.set(stat.pid, sampleOf(stat, readAt))));
      return begun;
    });
    await pause(this.#options.clock, FIRST_INTERVAL_MS);
    return sample;
  }

  #emptySample(): CpuSample {
    return { at: this.#options.clock.monotonic(), readAt: performance.now(), tasks: new Map() };
  }

  /** Passes the rows that match the filter to `add`; returns the CPU time of all tasks in scope. */
  async #list({ request, filter, selection, base, work, add }: ListOrder): Promise<CpuSample> {
    this.#users.refresh();
    const sample = this.#emptySample();
    const bootTime = this.#bootTimeNow();
    const memory = totalmem();
    const owners = this.#options.owners();
    const needsEnv = request.show_env || filter.has("env");
    const read: Task[] = [];
    await work.run(
      scanTasks(selection, (task) => {
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
    await work.run(
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

  /** A client may run programs as the daemon's user anyway; environments of other users stay hidden. */
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
  selection: TaskSelection;
  base: CpuSample;
  work: SlicedWork;
  add: (cells: TaskCell[]) => void;
}

/** Scope of the scan; it includes threads also if the filter selects one by its number. */
function selectionOf({ show_threads }: { show_threads: boolean }, filter: TaskFilter): TaskSelection {
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
