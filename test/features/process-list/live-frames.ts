import type { Live } from "../../e2e/support/live-frames.ts";

/** The process is scheduled as before, at a lower priority. */
export async function processListLive({ ask, client, process, topic }: Live): Promise<void> {
  const { pid } = await client.process(process);
  const list = { type: "request_process_list", host: "localhost", show_threads: true, show_env: true, filter: `process:==:${process}` };
  const { columns, rows } = await ask(list);
  const column = (columns as { name: string }[]).findIndex((each) => each.name === "affinity");
  const [row] = rows as { cells: { raw: unknown }[] }[];
  const affinity = String(row?.cells[column]?.raw);
  await ask({ type: "set_process_list_task", host: "localhost", pid, tid: pid, policy: 0, prio: 0, affinity, nice: 1 });
  const { tasks } = await ask({ type: "request_topic_scheduling", name: topic });
  const [{ host, ...task } = { host: "", pid: 0, tid: 0 }] = tasks as { host: string; pid: number; tid: number }[];
  await ask({ type: "apply_topic_scheduling", name: topic, tasks: [{ host, pid: task.pid, tid: task.tid, policy: 0 }] });
}
