import type { ManagerFrame } from "../../../src/protocol/frames/frames.ts";
import { ask } from "../app/store.ts";
import { Dialog } from "../ui/dialog.tsx";
import { complain, toast } from "../ui/toasts.ts";

export type Plan = Extract<ManagerFrame, { type: "config_reload_result"; ok: true }>;

const PARTS: readonly ["added" | "removed" | "changed" | "restart_needed", string, string][] = [
  ["added", "+", "added"],
  ["removed", "−", "removed"],
  ["changed", "~", "changed"],
  ["restart_needed", "↻", "running, restart needed"],
];

/** What a reload will do, before it does it. */
export function PlanPreview({ plan, onClose }: { plan: Plan; onClose: () => void }) {
  const isEmpty = PARTS.every(([key]) => plan[key].length === 0);
  const reload = async () => {
    const answer = await ask({ type: "reload_config" }, "config_reload_result");
    if (!answer.ok) throw new Error(answer.message);
    toast(`Reloaded: ${answer.added.length} added, ${answer.removed.length} removed, ${answer.changed.length} changed.`);
  };
  return (
    <Dialog label="Changes that a reload will make" title onClose={onClose}>
      {isEmpty && <p>No changes: the running configuration matches the files on disk.</p>}
      <div class="plan">
        {PARTS.map(([key, sign, words]) =>
          plan[key].length === 0 ? null : (
            <section key={key}>
              <h3>
                {plan[key].length} {words}
              </h3>
              <ul class={`plan-${key}`}>
                {plan[key].map((name) => (
                  <li key={name}>
                    <span aria-hidden="true">{sign}</span> {name}
                  </li>
                ))}
              </ul>
            </section>
          ),
        )}
      </div>
      <div class="dialog-buttons">
        <button type="button" onClick={onClose}>
          {isEmpty ? "Close" : "Cancel"}
        </button>
        {!isEmpty && (
          <button
            type="button"
            class="strong"
            data-first
            onClick={() => {
              onClose();
              reload().catch(complain);
            }}
          >
            Reload
          </button>
        )}
      </div>
    </Dialog>
  );
}
