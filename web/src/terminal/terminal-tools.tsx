import type { Process } from "../../../src/protocol/resources/resources.ts";
import { refusalOf } from "../state/access.ts";
import { isNarrow } from "../ui/browser/screen.ts";
import { Button } from "../ui/button.tsx";
import { Icon, IconButton } from "../ui/marks/icons.tsx";
import { MenuButton } from "../ui/menu.tsx";
import { complain } from "../ui/toasts.ts";
import type { OpenTerminal, ShownSize } from "./terminal.ts";
import { download } from "./terminal-actions.ts";
import { downloadRefusal, typingRefusal } from "./terminal-refusals.ts";

/** The actual size of the process's terminal; if it is another viewer's size, a button that takes it over. */
function TerminalSizeText({ name, size, onTake }: { name: string; size: ShownSize | null; onTake: () => void }) {
  if (size === null) return null;
  const text = `${size.cols}×${size.rows}`;
  if (!size.isForeign) return <span class="size">{text}</span>;
  return (
    <Button
      class="size"
      forbidden={refusalOf({ type: "send_winch", name }, "The size")}
      title="The terminal has the size of the viewer who typed last. Typing, or this button, fits it to this window."
      onClick={onTake}
    >
      {`${text}, fit to window`}
    </Button>
  );
}

/** The running command. If the next start runs another one, the tooltip has both. */
function CommandLine({ process: { running_command, current_command } }: { process: Process }) {
  const command = running_command ?? current_command;
  return <code title={command === current_command ? command : `Runs: ${command}\nNext start: ${current_command}`}>{command}</code>;
}

interface ToolsProps {
  process: Process;
  size: ShownSize | null;
  terminal: OpenTerminal | null;
  paused: boolean;
  /** Whether the terminal shows more than one run. */
  hasRuns: boolean;
  onPause: () => void;
  onSearch: () => void;
}

/** The line below a terminal. */
export function TerminalTools({ process, size, terminal, paused, hasRuns, onPause, onSearch }: ToolsProps) {
  const noTyping = typingRefusal(process.name);
  return (
    <footer class="terminal-tools">
      <CommandLine process={process} />
      {noTyping === null ? (
        <span class="keyboard-here" title="What you type goes to the process. Ctrl-Shift-L leaves the terminal.">
          <Icon name="keyboard" /> Ctrl-Shift-L leaves
        </span>
      ) : (
        <span class="size" title={noTyping}>
          Read-only
        </span>
      )}
      <TerminalSizeText name={process.name} size={size} onTake={() => terminal?.applySize()} />
      {hasRuns && !isNarrow.value && (
        <>
          <IconButton icon="up" label="Previous run  Ctrl-Shift-↑" onClick={() => terminal?.toRun("previous")} />
          <IconButton icon="down" label="Next run  Ctrl-Shift-↓" onClick={() => terminal?.toRun("next")} />
        </>
      )}
      <IconButton icon="search" label="Search  Ctrl-Shift-F" onClick={onSearch} />
      <IconButton
        icon={paused ? "start" : "pause"}
        label={paused ? "Resume" : "Pause output"}
        word={paused ? "Resume" : "Pause"}
        pressed={paused}
        onClick={onPause}
      />
      <MenuButton
        label="More actions of the terminal"
        items={[
          ...(hasRuns && isNarrow.value
            ? [
                { icon: "up" as const, label: "Previous run", run: () => terminal?.toRun("previous") },
                { icon: "down" as const, label: "Next run", run: () => terminal?.toRun("next") },
              ]
            : []),
          { icon: "copy", label: "Copy selection or all output", run: () => terminal?.copy() },
          {
            icon: "download",
            label: "Download the output",
            forbidden: downloadRefusal(process.name),
            run: () => void download(process.name).catch(complain),
          },
          { icon: "clear", label: "Clear terminal", run: () => terminal?.clear() },
        ]}
      />
    </footer>
  );
}
