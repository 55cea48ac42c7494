import type { Process } from "../../../../src/protocol/resources/resources.ts";
import { current, poppedOut, show } from "../../state/navigation.ts";
import type { ViewOf } from "../../state/views.ts";
import { IconButton } from "../../ui/marks/icons.tsx";

/** The history that belongs to the shown view: of its process, group or host, else of all processes. */
export function openHistory(): void {
  const view = current.value;
  if (view.kind === "history") return;
  show(view.kind === "process" || view.kind === "group" ? historyOf(view.name) : { kind: "history", about: "all" });
}

const historyOf = (name: string): ViewOf<"history"> => ({ kind: "history", about: "processes", name });

export const ProcessHistoryButton = ({ process }: { process: Process }) => <HistoryButton view={historyOf(process.name)} />;

export const GroupHistoryButton = ({ name }: { name: string }) => (
  <HistoryButton view={name === "" ? { kind: "history", about: "all" } : historyOf(name)} />
);

export const HostHistoryButton = ({ name }: { name: string }) => (
  <HistoryButton view={{ kind: "history", about: "host", name }} label={`History of ${name}`} />
);

/** A window of one view shows nothing else. */
function HistoryButton({ view, label = "History  h" }: { view: ViewOf<"history">; label?: string }) {
  return poppedOut ? null : <IconButton class="history-button" icon="history" label={label} word="History" onClick={() => show(view)} />;
}
