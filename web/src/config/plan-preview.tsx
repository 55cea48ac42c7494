import type { ComponentChildren } from "preact";
import { ask } from "../state/store.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Icon } from "../ui/marks/icons.tsx";
import { complain, toast } from "../ui/toasts.ts";
import { type Plan, planParts } from "./plan-parts.ts";

/** Maximum number of rows of a part; the others are counted. */
const MAX_ROWS = 100;

/** The dialog that shows the effects of a reload before it runs. */
export function PlanPreview({ plan, onClose, onReloaded }: { plan: Plan; onClose: () => void; onReloaded: () => void }) {
  const parts = planParts(plan);
  const isEmpty = parts.isEmpty;
  const reload = async () => {
    const answer = await ask({ type: "reload_config" }, "config_reload_result");
    if (!answer.ok) throw new Error(answer.message);
    toast(`Reloaded: ${answer.added.length} added, ${answer.removed.length} removed, ${answer.changed.length} changed.`);
    onReloaded();
  };
  return (
    <Dialog label="Changes that a reload will make" class="wide-dialog" title onClose={onClose}>
      {isEmpty && <p>No process changes: what runs matches the files on disk.</p>}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region has to be reachable by keyboard (axe: scrollable-region-focusable) */}
      <div class="plan" tabIndex={0}>
        <Part title="Starts" class="good" rows={parts.starts} icon="start" />
        <Part title="Stops, and is removed" class="bad" rows={parts.stops} icon="stop" />
        <Part
          title="Changes"
          class="warn"
          rows={parts.changed}
          below={({ differences, needsRestart }) => (
            <>
              <span class="tag">{needsRestart ? "runs on as it is: restart to apply" : "applies at the next start"}</span>
              {differences.length > 0 && (
                <dl class="differences">
                  {differences.map(({ key, from, to }) => (
                    <div key={key}>
                      <dt>{key}</dt>
                      <dd>
                        <del>{from ?? "not set"}</del>{" "}
                        <span role="img" aria-label="becomes">
                          →
                        </span>{" "}
                        <ins>{to ?? "not set"}</ins>
                      </dd>
                    </div>
                  ))}
                </dl>
              )}
            </>
          )}
        />
        <Part title="Added, not started" rows={parts.added} />
        <Part title="Removed, does not run" rows={parts.removed} />
        <Part title="Still runs with an earlier configuration: restart to apply" class="warn" rows={parts.outdated} icon="restart" />
        <Part title="Hosts" class="warn" rows={parts.hosts} />
        <Part title="Settings that change" class="warn" rows={parts.settings} />
        <Part title="Settings of the manager: they act at its next start" class="warn" rows={parts.later} icon="restart" />
      </div>
      <div class="dialog-buttons">
        <button type="button" onClick={onClose}>
          {isEmpty ? "Close" : "Cancel"}
        </button>
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
      </div>
    </Dialog>
  );
}

interface PartProps<T> {
  title: string;
  rows: readonly T[];
  class?: string;
  icon?: "start" | "stop" | "restart";
  below?: (row: T) => ComponentChildren;
}

function Part<T extends { name: string }>({ title, rows, class: colour = "soft", icon, below }: PartProps<T>) {
  if (rows.length === 0) return null;
  return (
    <section>
      <h3 class={colour}>
        {icon && <Icon name={icon} />}
        {title} <span class="soft">({rows.length})</span>
      </h3>
      <ul aria-label={title}>
        {rows.slice(0, MAX_ROWS).map((row) => (
          <li key={row.name}>
            <code>{row.name}</code> {below?.(row)}
          </li>
        ))}
        {rows.length > MAX_ROWS && <li class="soft">and {rows.length - MAX_ROWS} more</li>}
      </ul>
    </section>
  );
}
