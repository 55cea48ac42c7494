import { taskRow } from "../../../../src/features/process-list/manager/task-columns.ts";
import { TASK_COLUMNS } from "../../../../src/features/process-list/task-columns.ts";
import { describeUntrustedText, type Places } from "../../../support/suites/untrusted-text-suite.ts";

/** Every place that prints untrusted text, and what it prints. */
const PLACES: Places = {
  "the process list": (text) =>
    taskRow(
      TASK_COLUMNS.map(() => text),
      true,
    )
      .cells.map(({ formatted }) => formatted)
      .join("\n"),
};

describeUntrustedText(PLACES);
