import { allowsOwned, type Grant } from "../../../base/access/access.ts";
import { MgrError, messageOf } from "../../../base/errors.ts";
import { withRest } from "../../../base/text/names.ts";
import type { ManagerDataPlane } from "../../data-plane/manager/index.ts";
import type { Parameter } from "../../data-plane/wire/parameter.ts";
import type { PresetFailure, PresetValue } from "../wire.ts";
import { byKey, isSameValue, keyOf, overrideOf, valueProblem } from "./comparison.ts";
import { failureText } from "./presets.ts";

/** Number of overrides that are set at the same time. */
const MAX_AT_ONCE = 16;
/** Number of failures that a message names. */
const MAX_NAMED = 5;

export interface LoadOptions {
  readonly dataPlane: Pick<ManagerDataPlane, "parameters" | "setOverride" | "ownersOf">;
  readonly by: { readonly user: string; readonly grants: readonly Grant[] };
  readonly isPartial: boolean;
}

export interface LoadResult {
  readonly changed: number;
  readonly unchanged: number;
  readonly failures: PresetFailure[];
}

interface Change {
  /** As it was before. */
  readonly parameter: Parameter;
  /** The new override; null: sets it back to what it was. */
  readonly value: string | null;
}

/** Sets overrides: all of them or none, or with `isPartial` those that can be set. Rejects with what was wrong, by name. */
export async function loadValues(values: readonly PresetValue[], options: LoadOptions): Promise<LoadResult> {
  const { dataPlane, by, isPartial } = options;
  const { parameters, errors } = await dataPlane.parameters("*", null);
  const known = byKey(parameters);
  const failures: PresetFailure[] = [];
  const changes: Change[] = [];
  let unchanged = 0;
  for (const { service, parameter: name, value } of values) {
    const fail = (message: string) => failures.push({ service, parameter: name, message });
    const found = known.get(keyOf({ service, parameter: name })) ?? [];
    const silent = errors.find((each) => each.service === service);
    if (found.length === 0 || silent !== undefined)
      fail(silent === undefined ? "no program has it now" : `its program does not answer: ${silent.message}`);
    for (const parameter of found) {
      const problem = valueProblem(parameter, value);
      const override = overrideOf(parameter);
      if (!allowsOwned(by.grants, "operator", dataPlane.ownersOf({ service, provider_id: parameter.provider_id })))
        throw new MgrError("forbidden", `you may not change the parameter '${service}:${name}', which is in this preset`);
      if (problem !== null) fail(problem);
      else if (override !== null && isSameValue(parameter, override, value)) unchanged++;
      else changes.push({ parameter, value });
    }
  }
  if (failures.length > 0 && !isPartial) throw new MgrError("conflict", `nothing was changed, because of ${listed(failures)}`);
  const set = await apply(changes, options);
  if (set.failures.length === 0 || isPartial) return { changed: set.done.length, unchanged, failures: [...failures, ...set.failures] };
  const back = [...set.done, ...set.unknown].map((change) => ({ ...change, value: null }));
  const kept = (await apply(back, { ...options, isPartial: true })).failures;
  const outcome = kept.length === 0 ? "nothing was changed" : `these could not be set back: ${listed(kept)}; the others were not changed`;
  throw new MgrError("conflict", `${outcome}, because of ${listed(set.failures)}`);
}

/** Changes overrides, some at a time; without `isPartial` until the first failure. A program that does not answer once is left alone. */
async function apply(changes: readonly Change[], { dataPlane, by, isPartial }: LoadOptions) {
  const done: Change[] = [];
  /** Changes that may have been made: the program did not answer in time. */
  const unknown: Change[] = [];
  const failures: PresetFailure[] = [];
  const silent = new Set<number>();
  for (let from = 0; from < changes.length && (isPartial || failures.length === 0); from += MAX_AT_ONCE) {
    const turn = changes.slice(from, from + MAX_AT_ONCE).map(async (change) => {
      const { service, provider_id, name: parameter, override_enabled, override_value } = change.parameter;
      const override =
        change.value === null ? { enabled: override_enabled, value: override_value } : { enabled: true, value: change.value };
      try {
        if (silent.has(provider_id)) throw new MgrError("conflict", "its program does not answer");
        await dataPlane.setOverride({ service, provider_id, parameter, ...override }, by.user);
        done.push(change);
      } catch (error) {
        const code = error instanceof MgrError ? error.code : null;
        if (code === "timeout") unknown.push(change);
        if (code === "timeout" || code === "host_unavailable") silent.add(provider_id);
        failures.push({ service, parameter, message: messageOf(error) });
      }
    });
    await Promise.all(turn);
  }
  return { done, unknown, failures };
}

const listed = (failures: readonly PresetFailure[]): string => withRest(failures.slice(0, MAX_NAMED).map(failureText), failures.length);
