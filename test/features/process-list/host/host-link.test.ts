import { expect, it } from "vitest";
import { jsonOf } from "../../../../src/bus/client/rpc-envelope.ts";
import { taskPage } from "../../../../src/features/process-list/contract.ts";
import { TASK_COLUMNS } from "../../../../src/features/process-list/task-columns.ts";
import { HOST_LINKS } from "../../../daemon/support/host-links.ts";
import { Manager } from "../../../support/suites/host-link-suite.ts";

it.each(HOST_LINKS)(
  "a link (%s) lists the tasks of the host page by page, with the process that each belongs to, and schedules one",
  async (_name, open) => {
    await using opened = await open();
    const manager = new Manager(opened.link);
    await manager.hello();
    manager.beat();
    try {
      const { pid } = await manager.spawn("p", "exec sleep 60");
      const { session, link } = manager;
      const question = { session, requester: "one", show_threads: false, show_env: false };
      const listed = await link.request("tasks", { ...question, filter: "process:==:p" });
      expect(listed.next).toBe(null);
      const rows = taskPage.parse(jsonOf(listed.data));
      expect(rows.map((cells) => [cells[TASK_COLUMNS.indexOf("pid")], cells[TASK_COLUMNS.indexOf("process")]])).toEqual([[pid, "p"]]);
      await expect(link.request("list_page", { session, after: "gone" })).rejects.toMatchObject({ code: "not_found" });
      const wrong = link.request("tasks", { ...question, filter: "speed:>:1" });
      await expect(wrong).rejects.toMatchObject({ code: "bad_field" });
      const task = { session, pid, tid: pid, prio: 0, affinity: [0] };
      expect(await link.request("set_task", { ...task, policy: 3, nice: 2 })).toEqual({ policy: 3, prio: 0, affinity: [0], nice: 2 });
      await expect(link.request("set_task", { ...task, policy: 77 })).rejects.toMatchObject({ code: "bad_field" });
      await expect(link.request("set_task", { ...task, tid: 1, policy: 0 })).rejects.toMatchObject({ code: "not_found" });
    } finally {
      manager.hush();
    }
  },
);
