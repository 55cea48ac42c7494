import { signal } from "@preact/signals";
import { Fragment } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { messageOf } from "../../../../../src/base/errors.ts";
import type { Parameter } from "../../../../../src/features/data-plane/wire/parameter.ts";
import type { ManagerFrame } from "../../../../../src/protocol/frames/frames.ts";
import { refusalOf } from "../../../state/access.ts";
import { ask, command } from "../../../state/store.ts";
import { isConnected } from "../../../ui/connected.ts";
import { FilterBar } from "../../../ui/list/filter-bar.tsx";
import { filterByWords } from "../../../ui/list/word-filter.ts";
import { MenuButton } from "../../../ui/menu.tsx";
import { ownersOfClient } from "../data-store.ts";
import { parameterTools } from "./parameter-tools.ts";
import { problemOf } from "./parameter-value.ts";

type Snapshot = Extract<ManagerFrame, { type: "parameters_snapshot" }>;

/** Kept while other views are shown. */
const filter = signal("");
const snapshot = signal<Snapshot | null>(null);
const problem = signal<string | null>(null);
/** Pause between two requests, ms. */
const PACE_MS = 1_000;

/** The parameters of all programs with their values in effect; overrides are set in place. */
export function ParametersView() {
  const again = usePolling();
  const { parameters = [], errors = [] } = snapshot.value ?? {};
  const shown = filterByWords(parameters, filter.value, ({ name, service, provider, description }) =>
    [name, service, provider, description].join(" "),
  );
  const byService = new Map<string, Parameter[]>();
  for (const one of shown) {
    const key = `${one.provider_id}:${one.service}`;
    byService.set(key, [...(byService.get(key) ?? []), one]);
  }
  return (
    <>
      <FilterBar text={filter} label="Filter parameters" shown={shown.length} all={parameters.length}>
        {parameterTools.map((Tool, at) => (
          <Tool key={at} />
        ))}
      </FilterBar>
      {problem.value !== null && (
        <p class="why bad" role="alert">
          {problem.value}
        </p>
      )}
      {errors.map((error) => (
        <p key={error.provider_id} class="why warn">
          {error.provider} does not list its parameters: {error.message}
        </p>
      ))}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region has to be reachable by keyboard (axe: scrollable-region-focusable) */}
      <section class="data-table fluid parameters" tabIndex={0} aria-label="Parameters">
        <table>
          <thead>
            <tr>
              <th scope="col">Parameter</th>
              <th scope="col" class="number">
                In effect
              </th>
              <th scope="col" class="number wide">
                Input
              </th>
              <th scope="col">Override</th>
              <th scope="col" class="wide">
                Description
              </th>
              <th scope="col">
                <span class="unseen">Actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {[...byService].map(([key, members]) => (
              <Fragment key={key}>
                <tr class="of-service">
                  <th colSpan={6} scope="rowgroup">
                    {members[0]?.service} <span class="soft">{members.length}</span>
                  </th>
                </tr>
                {members.map((parameter) => (
                  <ParameterRow key={parameter.id} parameter={parameter} onChanged={again} />
                ))}
              </Fragment>
            ))}
          </tbody>
        </table>
        {snapshot.value !== null && shown.length === 0 && (
          <p class="empty nothing">
            {filter.value === "" ? "No parameters. A program shows them with parameters() of mgr/client or mgr_client.py." : "No matches."}
          </p>
        )}
      </section>
    </>
  );
}

function ParameterRow({ parameter, onChanged }: { parameter: Parameter; onChanged: () => void }) {
  const { id, name, unit, service, provider_id, output, input, override_enabled, override_value, description } = parameter;
  /** Text that was typed but is not set yet; null: none. */
  const [draft, setDraft] = useState<string | null>(null);
  const text = draft ?? override_value;
  const refusal = refusalOf({ type: "set_parameter_override", owners: ownersOfClient(provider_id) }, "An override");
  const wrong = draft === null ? null : problemOf(parameter, draft);
  const set = async (enabled: boolean, value: string) => {
    if (await command({ type: "set_parameter_override", service, provider_id, parameter: name, enabled, value })) {
      setDraft(null);
      onChanged();
    }
  };
  const open = () => void command({ type: "open_parameter_scope", service, provider_id, parameter: name });
  const problemId = `problem-${id}`;
  return (
    <tr data-key={id} class={override_enabled ? "overridden" : ""}>
      <td class="of-name" title={name}>
        {name}
      </td>
      <td class="number value">
        {output} <span class="soft">{unit}</span>
      </td>
      <td class="number wide soft">{input}</td>
      <td class="override">
        <input
          type="checkbox"
          aria-label={`Override ${name}`}
          checked={override_enabled}
          aria-disabled={isConnected.value && refusal === null ? undefined : true}
          title={refusal ?? undefined}
          onChange={(event) => {
            const { checked } = event.currentTarget;
            event.currentTarget.checked = override_enabled;
            if (wrong === null && refusal === null) void set(checked, text);
          }}
        />
        <input
          type="text"
          inputMode={parameter.type === "string" || parameter.type === "bool" ? "text" : "decimal"}
          aria-label={`Value of the override of ${name}`}
          readOnly={refusal !== null}
          title={refusal ?? undefined}
          aria-invalid={wrong !== null}
          aria-describedby={wrong === null ? undefined : problemId}
          value={text}
          onInput={(event) => setDraft(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter" && wrong === null && refusal === null) void set(true, text);
            else if (event.key === "Escape" && draft !== null) setDraft(null);
            else return;
            event.preventDefault();
            event.stopPropagation();
          }}
        />
        {draft !== null && draft !== override_value && wrong === null && <span class="soft">Enter sets it</span>}
        {wrong !== null && (
          <span class="bad" id={problemId}>
            {wrong}
          </span>
        )}
      </td>
      <td class="wide soft" title={description}>
        {description}
      </td>
      <td class="doing">
        <MenuButton
          label={`More actions of ${name}`}
          items={[{ icon: "popOut", label: "Open in the scope", forbidden: refusalOf({ type: "open_parameter_scope" }), run: open }]}
        />
      </td>
    </tr>
  );
}

/** Requests the parameters each second while the view is shown and the page is visible. Returns a function that requests them at once. */
function usePolling(): () => void {
  const isOpen = isConnected.value;
  const poll = useRef(() => {});
  useEffect(() => {
    if (!isOpen) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isOver = false;
    const request = async () => {
      clearTimeout(timer);
      try {
        if (!document.hidden) snapshot.value = await ask({ type: "request_parameters", pattern: "*" }, "parameters_snapshot");
        problem.value = null;
      } catch (error) {
        problem.value = messageOf(error);
      }
      if (!isOver) {
        clearTimeout(timer);
        timer = setTimeout(request, PACE_MS);
      }
    };
    poll.current = () => void request();
    void request();
    return () => {
      isOver = true;
      clearTimeout(timer);
      poll.current = () => {};
    };
  }, [isOpen]);
  return () => poll.current();
}
