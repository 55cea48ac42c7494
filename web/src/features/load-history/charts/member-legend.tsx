import { type Signal, useSignal } from "@preact/signals";
import { linkTo } from "../../../state/navigation.ts";
import { Button } from "../../../ui/button.tsx";
import { Name } from "../../../ui/name.tsx";
import type { Figure } from "../figures.ts";
import { nearest, valueAt } from "./curve-data.ts";
import type { Member } from "./panels.ts";

/** Rows at first; the others are shown on request. */
const FIRST_ROWS = 20;

interface Props {
  readonly members: readonly Member[];
  readonly figures: readonly Figure[];
  readonly colors: readonly string[];
  readonly times: readonly number[];
  readonly hovered: Signal<number | null>;
  /** Key of the figure by which the members are ordered. */
  readonly order: string;
  readonly onOrder: (key: string) => void;
  /** The group, which is left out of the names. */
  readonly below: string;
}

/** The processes of a group, those that use the most first, with the values under the pointer, else the means of the visible time. */
export function MemberLegend({ members, figures, colors, times, hovered, order, onOrder, below }: Props) {
  const isWhole = useSignal(false);
  const at = hovered.value === null ? null : nearest(times, hovered.value / 1_000);
  const rows = isWhole.value ? members : members.slice(0, FIRST_ROWS);
  return (
    <section class="history-members" aria-label="Processes">
      <table>
        <thead>
          <tr>
            <th scope="col">{at === null ? "Mean" : "At the pointer"}</th>
            {figures.map(({ key, title }) => (
              <th key={key} scope="col" class="number" aria-sort={key === order ? "descending" : undefined}>
                <button type="button" class="head" title={`Order by ${title}`} onClick={() => onOrder(key)}>
                  {title}
                  {key === order && <span aria-hidden="true">↓</span>}
                </button>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ name, host, values, means }, rank) => {
            const short = below !== "" && name.startsWith(`${below}/`) ? name.slice(below.length + 1) : name;
            return (
              <tr key={`${name} ${host}`}>
                <td class="of-name">
                  <span class="history-name">
                    <span class="history-color" style={{ background: colors[rank] ?? "var(--line)" }} />
                    <a class="member" {...linkTo({ kind: "history", about: "processes", name }, `History of ${name}`)} title={name}>
                      <Name name={short} />
                    </a>
                  </span>
                </td>
                {figures.map(({ key, text }) => {
                  const value = at === null ? means.get(key) : valueAt(values.get(key) ?? [], at);
                  return (
                    <td key={key} class="number">
                      {value === undefined || value === null ? "–" : text(value)}
                    </td>
                  );
                })}
              </tr>
            );
          })}
        </tbody>
      </table>
      {members.length > FIRST_ROWS && (
        <Button
          pressed={isWhole.value}
          onClick={() => {
            isWhole.value = !isWhole.value;
          }}
        >
          {isWhole.value ? `Show the first ${FIRST_ROWS}` : `Show all ${members.length}`}
        </Button>
      )}
    </section>
  );
}
