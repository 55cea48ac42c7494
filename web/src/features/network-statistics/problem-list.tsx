import { useState } from "preact/hooks";
import type { NetworkProblem } from "../../../../src/features/network-statistics/wire.ts";
import { isNarrow } from "../../ui/browser/screen.ts";
import { pickedHost } from "./network-store.ts";

/** Number of problems that are shown before the user opens all: on a wide screen, and on a phone. */
const FEW = { wide: 3, narrow: 1 } as const;
const CLASSES = { error: "bad", warning: "warn", info: "" } as const;

/** The problems, the most severe first: a line each, which opens to the whole text. */
export function ProblemList({ problems }: { problems: readonly NetworkProblem[] }) {
  const [isWhole, setWhole] = useState(false);
  if (problems.length === 0) return null;
  const few = FEW[isNarrow.value ? "narrow" : "wide"];
  const shown = isWhole ? problems : problems.slice(0, few);
  return (
    <section class="net-problems" aria-label="Problems">
      <ul>
        {shown.map((problem) => (
          <Problem key={keyOf(problem)} problem={problem} />
        ))}
      </ul>
      {problems.length > few && (
        <button type="button" class="flat" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
          {isWhole ? "Show fewer problems" : `Show all ${problems.length} problems`}
        </button>
      )}
    </section>
  );
}

function Problem({ problem: { severity, message, host } }: { problem: NetworkProblem }) {
  return (
    <li class={CLASSES[severity]}>
      <details>
        <summary>
          <b>{severity}</b> {message}
        </summary>
        {pickedHost.value !== host && (
          <button
            type="button"
            onClick={() => {
              pickedHost.value = host;
            }}
          >
            Show only {host}
          </button>
        )}
      </details>
    </li>
  );
}

const keyOf = ({ kind, host, peer, interface: port, child }: NetworkProblem) =>
  JSON.stringify([kind, host, peer, port, child?.kind, child?.name]);
