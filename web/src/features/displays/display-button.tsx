import type { Process } from "../../../../src/protocol/resources/resources.ts";
import { poppedOut, show, showBeside } from "../../state/navigation.ts";
import { viewRefusal } from "../../state/views.ts";
import { isNarrow } from "../../ui/browser/screen.ts";
import { IconButton } from "../../ui/marks/icons.tsx";
import { displayOf } from "./display-of.ts";

/** A button that shows the windows of a graphical program beside its terminal. */
export function DisplayButton({ process }: { process: Process }) {
  const display = displayOf(process);
  if (display === null || poppedOut) return null;
  return (
    <IconButton
      icon="screen"
      label="Show its windows"
      word="Display"
      forbidden={viewRefusal(display)}
      onClick={() => (isNarrow.value ? show(display) : showBeside(display))}
    />
  );
}
