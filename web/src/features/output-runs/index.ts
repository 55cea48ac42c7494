import type { PageFeature } from "../../actions/page-feature.ts";
import { current, show } from "../../state/navigation.ts";
import { lazyView } from "../../ui/lazy-view.tsx";
import { GroupDownloadButton, RunsButton } from "./download-buttons.tsx";
import { MarksSetting } from "./marks/marks-setting.tsx";
import { followOutput, outputMark } from "./marks/output-marks.ts";
import { RUNS } from "./views.ts";

/** Opens the runs of the shown process; elsewhere it does nothing. */
function showRuns(): void {
  const view = current.value;
  if (view.kind === "process") show({ kind: "runs", name: view.name });
}

export const outputRuns: PageFeature = {
  views: [{ ...RUNS, ...lazyView(async () => (await import("./runs-view.tsx")).RunsView) }],
  keys: [{ title: "Runs of the shown process", keys: "u", run: showRuns }],
  ProcessButton: RunsButton,
  GroupButton: GroupDownloadButton,
  processMark: outputMark,
  Settings: MarksSetting,
  start: followOutput,
};
