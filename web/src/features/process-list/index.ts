import { opening } from "../../actions/opening.ts";
import type { PageFeature } from "../../actions/page-feature.ts";
import { lazyView } from "../../ui/lazy-view.tsx";
import { TASKS } from "./views.ts";

export const processList: PageFeature = {
  views: [{ ...TASKS, ...lazyView(async () => (await import("./task-view.tsx")).TaskView) }],
  places: [{ view: { kind: "tasks" }, word: "Tasks", isLast: true }],
  keys: [opening("Tasks", { kind: "tasks" }, { keys: "t", near: true })],
  shortcuts: [
    "In the tasks of a host",
    [
      ["↑ ↓ PgUp PgDn", "move"],
      ["Enter", "task details and scheduling"],
      ["Esc", "back to the list"],
    ],
  ],
};
