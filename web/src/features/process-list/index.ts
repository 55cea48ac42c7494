import type { PageFeature } from "../../actions/page-feature.ts";
import { show } from "../../state/navigation.ts";
import { TaskView } from "./task-view.tsx";
import { TASKS } from "./views.ts";

export const processList: PageFeature = {
  views: [{ ...TASKS, Body: TaskView }],
  places: [{ view: { kind: "tasks" }, word: "Tasks", needs: "viewer", isLast: true }],
  keys: [{ title: "Tasks", keys: "t", near: true, run: () => show({ kind: "tasks" }) }],
  shortcuts: [
    "In the tasks of a host",
    [
      ["↑ ↓ PgUp PgDn", "move"],
      ["Enter", "task details and scheduling"],
      ["Esc", "back to the list"],
    ],
  ],
};
