import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Clock } from "../../../../src/base/timing/clock.ts";
import { jsonOf } from "../../../../src/bus/client/rpc-envelope.ts";
import { type ListPage, pagesOf } from "../../../../src/contract/pages.ts";
import { ListBuilder } from "../../../../src/daemon/lists/list-builder.ts";
import { TaskOwners } from "../../../../src/daemon/tree/task-owners.ts";
import { type TaskCell, taskPage } from "../../../../src/features/process-list/contract.ts";
import { TaskLists } from "../../../../src/features/process-list/host/task-list.ts";
import { TASK_COLUMNS, type TaskColumnName } from "../../../../src/features/process-list/task-columns.ts";
import { until } from "../../../support/processes.ts";

export type Row = Record<TaskColumnName, TaskCell>;

interface Question {
  requester?: string;
  show_threads?: boolean;
  show_env?: boolean;
  filter?: string;
}

interface OpenLists {
  readonly tasks: TaskLists;
  readonly lists: ListBuilder;
}

/** Lists of a host that has no runs. */
export function openLists(clock: Clock): OpenLists {
  const lists = new ListBuilder(clock);
  return {
    lists,
    tasks: new TaskLists({
      clock,
      lists,
      owners: () =>
        new TaskOwners(
          () => null,
          () => null,
        ),
    }),
  };
}

/** All rows of a list. */
export async function listTasks({ tasks, lists }: OpenLists, question: Question = {}): Promise<Row[]> {
  const whole = { requester: "test", show_threads: true, show_env: false, filter: "", ...question };
  const first = await tasks.make(whole);
  const rows: Row[] = [];
  for await (const { data } of pagesOf<ListPage>(async (after) => (after === null ? first : lists.pages.read(after))))
    rows.push(...taskPage.parse(jsonOf(data)).map(rowOf));
  return rows;
}

export function rowOf(cells: readonly TaskCell[]): Row {
  return Object.fromEntries(TASK_COLUMNS.map((name, index) => [name, cells[index] ?? null])) as Row;
}

/** What ps(1) says: one object a task, every value as text. `fields` are ps's names; the last may hold blanks. */
export function ps(fields: readonly string[], which: readonly string[] = ["-eL"]): Record<string, string>[] {
  // Wide, because ps shows a number for a user whose name does not fit.
  const wide = fields.flatMap((field) => ["-o", `${field === "user" ? "user:32" : field}=`]);
  // In other locales ps shows bytes over 127 as question marks.
  const text = execFileSync("ps", [...which, "-ww", ...wide], {
    encoding: "utf8",
    env: { ...process.env, LC_ALL: "C.UTF-8" },
    maxBuffer: 64 * 1024 * 1024,
  });
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const words = line.trim().split(/\s+/);
      const last = line.trim().match(new RegExp(`^(?:\\S+\\s+){${fields.length - 1}}(.*)$`))?.[1] ?? "";
      return Object.fromEntries(fields.map((field, index) => [field, index === fields.length - 1 ? last : (words[index] ?? "")]));
    });
}

/** ps shows what is no printable character as `?` or a blank. */
export const asPs = (value: TaskCell): string => String(value ?? "").replace(/[\p{Cc}\ufffd]/gu, "?");
export const sameText = (ours: TaskCell, theirs: string): boolean =>
  asPs(ours).replace(/[? ]+/g, " ").trim() === theirs.replace(/[? \ufffd]+/g, " ").trim();

const ODD_TASKS = fileURLToPath(new URL("../../../fixtures/odd-tasks.py", import.meta.url));

/** A process with odd threads and a zombie child, ended with the test. `stopped`: nothing about it changes any more. */
export async function oddTasks(options: { stopped?: boolean } = {}): Promise<{ pid: number; child: ChildProcess } & Disposable> {
  const child = spawn("/usr/bin/python3", [ODD_TASKS, ...(options.stopped ? ["--stop"] : [])], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, ODD_SECRET: "of the\nodd one", EMPTY: "" },
  });
  await once(child.stdout ?? child, "data");
  const { pid } = child;
  if (pid === undefined) throw new Error("python3 did not start");
  const isStopped = (tid: string) => / T /.test(readFileSync(`/proc/${pid}/task/${tid}/stat`, "latin1").replace(/^.*\)/s, ""));
  if (options.stopped)
    await until(
      () => readdirSync(`/proc/${pid}/task`).every(isStopped),
      60_000,
      () => pid,
    );
  return { pid, child, [Symbol.dispose]: () => void child.kill("SIGKILL") };
}
