import { attentionOf } from "../state/attention.ts";
import { linkTo } from "../state/navigation.ts";
import { processOf } from "../state/store.ts";
import { Button } from "../ui/button.tsx";
import { StateMark } from "../ui/marks/state-mark.tsx";
import { Name } from "../ui/name.tsx";
import { LastOutput } from "./last-output.tsx";

/** A process that needs attention for reasons that a feature has noticed, whatever its state. */
export function NoticedRow({ name }: { name: string }) {
  const process = processOf(name);
  const reasons = attentionOf(name);
  if (!process) return null;
  const text = reasons.length === 0 ? "No longer" : reasons.map((reason) => reason.text).join("; ");
  return (
    <li class="trouble-row noticed-row">
      <StateMark state="backoff" isPast label="needs attention" />
      <a class="member" {...linkTo({ kind: "process", name }, name)} title={name}>
        <Name name={name} />
      </a>
      <span class="what">
        <span class="why" title={text}>
          {text}
        </span>
        <LastOutput process={process} />
      </span>
      <Button
        class="restart"
        needsManager
        enabled={reasons.length > 0}
        forbidden={reasons.find(({ forbidden }) => forbidden !== null)?.forbidden ?? null}
        label={`Dismiss the alert of ${name}`}
        onClick={() => {
          for (const { dismiss } of reasons) dismiss();
        }}
      >
        Dismiss
      </Button>
    </li>
  );
}

/** The names to show: while rows are held under the mouse, those of before keep their place, and new ones follow. */
export function heldNames(before: readonly string[], now: readonly string[], isHeld: boolean): readonly string[] {
  if (!isHeld) return now;
  const shown = new Set(before);
  return [...before, ...now.filter((name) => !shown.has(name))];
}
