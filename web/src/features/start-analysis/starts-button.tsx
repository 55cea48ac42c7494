import { show } from "../../state/navigation.ts";
import { IconButton } from "../../ui/marks/icons.tsx";
import { startsOf } from "./views.ts";

/** Opens the chart of the last start of a group, or of all processes. */
export function StartsButton({ name }: { name: string }) {
  return <IconButton icon="gantt" label="Last start" word="Start" onClick={() => show(startsOf(name))} />;
}
