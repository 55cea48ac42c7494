import { useState } from "preact/hooks";
import type { Process } from "../../../src/protocol/resources/resources.ts";
import { refusalOf } from "../state/access.ts";
import { command, startTools } from "../state/store.ts";
import { Button } from "../ui/button.tsx";
import { isConnected } from "../ui/connected.ts";
import { toast } from "../ui/toasts.ts";

/** A form for the command of the next start, its overrides, and the tool that wraps it. */
export function CommandForm({ process }: { process: Process }) {
  const { name } = process;
  const noChoice = refusalOf({ type: "set_process_current_alternate_command", name }, "Another command");
  // A form that cannot be used says why in place of its controls.
  if (noChoice !== null) return <p class="hint">{noChoice}</p>;
  const noAttribute = refusalOf({ type: "set_process_attribute", name }, "Another tool or debug messages");
  return (
    <div class="command-form">
      {process.alternate_commands.map(([label, configured]) => (
        <CommandRow key={label} process={process} label={label} configured={configured} alone={process.alternate_commands.length === 1} />
      ))}
      <label class="field">
        <span>Start tool</span>
        <select
          disabled={!isConnected.value || noAttribute !== null}
          value={process.start_tool ?? ""}
          onChange={async (event) => {
            const value = event.currentTarget.value || null;
            const done = await command({ type: "set_process_attribute", name, attribute: "start_tool", value });
            if (done) atNextStart();
          }}
        >
          {startTools.value.map((tool) => (
            <option key={tool.label} value={tool.value ?? ""}>
              {tool.label}
            </option>
          ))}
        </select>
      </label>
      <p class="hint">{noAttribute ?? "Runs the command inside another program, such as a debugger, from the next start on."}</p>
      <label class="check">
        <input
          type="checkbox"
          disabled={!isConnected.value || noAttribute !== null}
          checked={process.svc_debug}
          onChange={async (event) => {
            const value = event.currentTarget.checked;
            const done = await command({ type: "set_process_attribute", name, attribute: "svc_debug", value });
            if (done) atNextStart();
          }}
        />
        Service debug messages
      </label>
      <p class="hint">Sets MGR_DEBUG=1 from the next start on. Programs may then log what their services do.</p>
      <Display process={process} />
    </div>
  );
}

function atNextStart(): void {
  toast("Takes effect on next start.");
}

function Display({ process }: { process: Process }) {
  const { name } = process;
  const noDelay = refusalOf({ type: "set_process_low_delay_output", name });
  const noHolding = refusalOf({ type: "set_process_no_skip_display", name });
  return (
    <>
      <label class="check">
        <input
          type="checkbox"
          disabled={!isConnected.value || noDelay !== null}
          title={noDelay ?? undefined}
          checked={process.low_delay_output}
          onChange={(event) => void command({ type: "set_process_low_delay_output", name, enabled: event.currentTarget.checked })}
        />
        Low-delay output
      </label>
      <p class="hint">Sends each piece of output at once, instead of collecting it for some milliseconds. Needs more processor time.</p>
      <label class="check">
        <input
          type="checkbox"
          disabled={!isConnected.value || noHolding !== null}
          title={noHolding ?? undefined}
          checked={process.no_skip_display}
          onChange={(event) => void command({ type: "set_process_no_skip_display", name, enabled: event.currentTarget.checked })}
        />
        Never skip output (may slow the process)
      </label>
      <p class="hint">
        When output comes faster than it can be shown, the process waits. Otherwise the page leaves out a part and says so.
      </p>
    </>
  );
}

interface RowProps {
  process: Process;
  label: string;
  configured: string;
  alone: boolean;
}

/** One of the commands: the user can select or override it. */
function CommandRow({ process, label, configured, alone }: RowProps) {
  const { name } = process;
  const override = (label === "default" ? process.command_override : process.alternate_command_overrides[label]) ?? null;
  const effective = override ?? configured;
  const tag = override === null ? null : <span class="tag">overridden</span>;
  const [draft, setDraft] = useState<string | null>(null);
  const overriding =
    label === "default"
      ? ({ type: "set_process_command_override", name } as const)
      : ({ type: "set_process_alternate_command_override", name, which: label } as const);
  const noOverride = refusalOf(overriding, "Another text");
  const save = async (text: string) => {
    if (noOverride !== null) return;
    const value = text.trim() === configured ? "" : text.trim();
    const before = draft;
    if (!(await command({ ...overriding, override: value }))) return;
    // Text that was typed meanwhile has not been saved.
    setDraft((now) => (now === before ? null : now));
    atNextStart();
  };
  return (
    <form
      class="command-row"
      onSubmit={(event) => {
        event.preventDefault();
        void save(draft ?? effective);
      }}
    >
      {alone ? (
        <span class="check">Command {tag}</span>
      ) : (
        <label class="check">
          <input
            type="radio"
            name={`which-${name}`}
            checked={process.current_alternate_command === label}
            disabled={!isConnected.value}
            onChange={async () => {
              if (await command({ type: "set_process_current_alternate_command", name, which: label })) atNextStart();
            }}
          />
          <span>{label}</span>
          {tag}
        </label>
      )}
      <textarea
        rows={1}
        spellcheck={false}
        aria-label={`Command of ${label}`}
        readOnly={noOverride !== null}
        title={noOverride ?? undefined}
        value={draft ?? effective}
        onInput={(event) => setDraft(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter" && !event.shiftKey) {
            event.preventDefault();
            void save(draft ?? effective);
          } else if (event.key === "Escape") setDraft(null);
        }}
      />
      {(draft !== null && draft !== effective) || override !== null ? (
        <div class="row-buttons">
          {draft !== null && draft !== effective && (
            <Button class="strong" needsManager forbidden={noOverride} onClick={() => void save(draft)}>
              Override
            </Button>
          )}
          {override !== null && (
            <Button needsManager title={configured} forbidden={noOverride} onClick={() => void save("")}>
              Reset to configured command
            </Button>
          )}
        </div>
      ) : null}
    </form>
  );
}
