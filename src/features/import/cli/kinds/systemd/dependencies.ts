import type { Rule, Rules } from "../../model/conversion.ts";
import type { Dependency } from "../../model/draft.ts";
import { wordsOf } from "./commands.ts";
import type { ServiceConversion, Unit } from "./service.ts";

/** Targets that mean no more than that the machine is up. */
const OF_THE_MACHINE = /\.(target|slice|socket|mount|device|path)$|^(systemd|dbus|network)[\w.-]*\.service$/;

/** Rules of the keys of [Unit] that name other units. `After=` alone only orders; the others also start. */
export const DEPENDENCY_RULES: Rules<ServiceConversion> = {
  Requires: depends("stop"),
  Requisite: depends("stop"),
  BindsTo: depends("stop"),
  Wants: depends("keep"),
  Upholds: depends("keep"),
  PartOf: depends("stop"),
  After: (entry, context) => {
    const started = new Set(context.draft.dependencies.map(({ on }) => on));
    for (const { word, tree } of wordsOf(entry)) {
      const on = context.specified(word);
      const named = { key: `${entry.key}=${on}`, place: tree.place };
      if (started.has(on)) context.carried(named, "depends_on");
      else if (OF_THE_MACHINE.test(on)) context.carried(named, "processes start when the machine is up");
      else
        context.draft.dependencies.push({
          ...dependency(on, context),
          entry: named,
          onStop: "keep",
          guess: `After=${on} only orders the starts there; here '${on}' is started too`,
        });
    }
  },
};

function depends(onStop: "stop" | "keep"): Rule<ServiceConversion> {
  return (entry, context) => {
    for (const { word, tree } of wordsOf(entry)) {
      const on = context.specified(word);
      const named = { key: `${entry.key}=${on}`, place: tree.place };
      if (OF_THE_MACHINE.test(on)) context.carried(named, "processes start when the machine is up");
      else if (!context.draft.dependencies.some((each) => each.on === on))
        context.draft.dependencies.push({ ...dependency(on, context), entry: named, onStop, guess: null });
    }
  };
}

function dependency(on: string, { environment }: ServiceConversion): Pick<Dependency, "on" | "condition"> {
  const unit = environment.units.get(on);
  return { on, condition: unit !== undefined && typeOf(unit) === "oneshot" ? "completed" : "started" };
}

export function typeOf({ sections }: Unit): string {
  return String(sections.get("Service")?.get("Type")?.value ?? "simple");
}
