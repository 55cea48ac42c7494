import { poppedOut, show } from "../../state/navigation.ts";
import { IconButton } from "../../ui/marks/icons.tsx";
import { ALL } from "./views.ts";

/** Opens the merged output of a group; `name` is empty for all processes. */
export function MergedButton({ name }: { name: string }) {
  if (poppedOut) return null;
  const label = name === "" ? "Output of all processes in one view" : "Output of the group in one view";
  return <IconButton icon="merge" label={label} word="Output" onClick={() => show({ kind: "merged", of: name === "" ? ALL : name })} />;
}
