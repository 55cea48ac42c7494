import type { FrameOf } from "../../../../src/protocol/frames/frames.ts";
import { type Process, SIGNALS, type Signal } from "../../../../src/protocol/resources/resources.ts";
import type { Action } from "../../actions/action.ts";
import { verbActions } from "../../actions/verb-actions.ts";
import { showInLog } from "../../log/log-view.tsx";
import { detailsOpen, toggleDetails } from "../../state/navigation.ts";
import { command, startTools, startupCommands } from "../../state/store.ts";
import { download, terminalOf } from "../../terminal/terminal-actions.ts";
import { downloadRefusal } from "../../terminal/terminal-refusals.ts";
import { copy } from "../../ui/browser/clipboard.ts";
import { isConnected } from "../../ui/connected.ts";
import { confirm } from "../../ui/dialog.tsx";
import { complain } from "../../ui/toasts.ts";

/** All actions of the view of a process, including those of its details. */
export function processViewActions(process: Process): Action[] {
  const { name } = process;
  return [
    { title: `${detailsOpen.value ? "Hide" : "Show"} process details`, keys: "d", near: true, run: () => toggleDetails() },
    ...terminalActions(name),
    ...verbActions(name, { kind: "process", name }, [process], true),
    { title: "Show its log entries", run: () => showInLog(name) },
    { title: "Copy its name", run: () => void copy(name, "the name") },
    { title: "Copy startup commands", sends: { type: "dump_startup_commands", name }, run: () => void copyCommands(name).catch(complain) },
    ...(isConnected.value ? commandActions(process) : []),
    ...(process.pid === null || !isConnected.value ? [] : signalActions(name)),
  ];
}

function terminalActions(name: string): Action[] {
  const actions: Action[] =
    downloadRefusal(name) === null ? [{ title: "Download the output", run: () => void download(name).catch(complain) }] : [];
  const own = terminalOf(name);
  const { terminal } = own ?? {};
  if (!own || !terminal) return actions;
  return [
    { title: "Search the output", keys: "Ctrl-Shift-F", near: true, run: own.search },
    { title: "Pause or resume output", run: own.togglePause },
    { title: "Scroll to the previous run", keys: "Ctrl-Shift-↑", run: () => terminal.toRun("previous") },
    { title: "Scroll to the next run", keys: "Ctrl-Shift-↓", run: () => terminal.toRun("next") },
    { title: "Scroll to bottom", run: () => terminal.toEnd() },
    { title: "Copy selection or all output", run: () => terminal.copy() },
    { title: "Clear terminal", run: () => terminal.clear() },
    ...actions,
  ];
}

/** Actions that select the command and the tool of the next start, and that switch debug messages and the mode of output. */
function commandActions(process: Process): Action[] {
  const { name } = process;
  const alternates = process.alternate_commands.length < 2 ? [] : process.alternate_commands;
  const switches = [
    ["svc_debug", "Service debug messages", process.svc_debug],
    ["low_delay", "Low-delay output", process.low_delay_output],
    ["no_skip", "Slow down the process instead of skipping output", process.no_skip_display],
  ] as const;
  return [
    ...alternates.map(
      ([which]): Action => sending(`Next start with command: ${which}`, { type: "set_process_current_alternate_command", name, which }),
    ),
    ...startTools.value.map(
      ({ value, label }): Action =>
        sending(`Next start with tool: ${label}`, { type: "set_process_attribute", name, attribute: "start_tool", value }),
    ),
    ...switches.map(([what, words, on]): Action => sending(`${words}: turn ${on ? "off" : "on"}`, switchFrame(name, what, !on))),
  ];
}

/** An action that sends a frame about a process. */
const sending = (title: string, frame: SwitchFrame): Action => ({ title, sends: frame, run: () => void command(frame) });

type SwitchFrame = FrameOf<
  "set_process_attribute" | "set_process_current_alternate_command" | "set_process_low_delay_output" | "set_process_no_skip_display"
>;

function switchFrame(name: string, what: "svc_debug" | "low_delay" | "no_skip", enabled: boolean): SwitchFrame {
  if (what === "svc_debug") return { type: "set_process_attribute", name, attribute: "svc_debug", value: enabled };
  return { type: what === "low_delay" ? "set_process_low_delay_output" : "set_process_no_skip_display", name, enabled };
}

function signalActions(name: string): Action[] {
  return SIGNALS.map((signal) => ({
    title: `Send ${signal} to ${name}`,
    isDanger: true,
    sends: { type: "send_signal", name },
    run: () => void sendSignal(name, signal),
  }));
}

async function sendSignal(name: string, signal: Signal): Promise<void> {
  const question = {
    title: `Send ${signal} to ${name}?`,
    text: "Its main process receives the signal.",
    yes: `Send ${signal}`,
    isDanger: true,
  };
  if (await confirm(question)) await command({ type: "send_signal", name, signal });
}

async function copyCommands(name: string): Promise<void> {
  const commands = await startupCommands(name);
  if (commands !== null) await copy(commands, "the commands");
}
