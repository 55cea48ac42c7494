import { signal } from "@preact/signals";
import type { Confirmation } from "../../../../src/features/mcp/wire.ts";
import { refusalOf } from "../../state/access.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Icon } from "../../ui/marks/icons.tsx";
import { lasting } from "../../ui/time.ts";
import { answer, confirmations } from "./confirmations-store.ts";

const isOpen = signal(false);

/** A button in the bar at the top while agents wait for an answer, and the list of their questions. */
export function ConfirmationsButton() {
  const open = confirmations.value;
  const newest = open.at(-1);
  return (
    <>
      {/* There from the beginning, so that screen readers announce a question when it comes. */}
      <span class="unseen" role="status">
        {newest && `${newest.agent} asks to ${newest.action} ${newest.name}`}
      </span>
      {open.length > 0 && (
        <button
          type="button"
          class="flat agent-questions"
          aria-haspopup="dialog"
          onClick={() => {
            isOpen.value = true;
          }}
        >
          <Icon name="bell" />
          {open.length === 1 ? "1 question" : `${open.length} questions`}
        </button>
      )}
      {isOpen.value && <ConfirmationsDialog />}
    </>
  );
}

function ConfirmationsDialog() {
  const open = confirmations.value;
  return (
    <Dialog
      label="Questions of agents"
      class="agent-dialog"
      title
      onClose={() => {
        isOpen.value = false;
      }}
    >
      {open.length === 0 && <p class="soft">No agent waits for an answer.</p>}
      <ul>
        {open.map((each) => (
          <Question key={each.id} question={each} />
        ))}
      </ul>
    </Dialog>
  );
}

function Question({ question }: { question: Confirmation }) {
  const { agent, action, name, host, pid, tool, asked, until } = question;
  const what = `${action} ${name}`;
  const forbidden = refusalOf({ type: "answer_confirmation", name }, "An answer");
  return (
    <li>
      <p>
        <b>{agent}</b> asks to {action} <b>{name}</b> on {host}
        {pid === null ? ", which does not run" : ` (pid ${pid})`}.
      </p>
      <p class="soft">
        Tool {tool}, asked {lasting(asked)} ago, refused in {lasting(until, true)} without an answer.
      </p>
      <div class="dialog-buttons">
        <Button needsManager forbidden={forbidden} label={`Refuse to ${what}`} onClick={() => answer(question, false)}>
          Refuse
        </Button>
        <Button needsManager forbidden={forbidden} class="danger" label={`Allow to ${what}`} onClick={() => answer(question, true)}>
          Allow
        </Button>
      </div>
    </li>
  );
}
