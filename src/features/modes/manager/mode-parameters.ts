import { MgrError, messageOf } from "../../../base/errors.ts";
import { type Clock, pause } from "../../../base/timing/clock.ts";
import type { ManagerDataPlane } from "../../data-plane/manager/index.ts";
import { fullName } from "../../data-plane/parameter-name.ts";
import type { ManagerPresets } from "../../presets/manager/index.ts";
import type { ModeDefinition } from "../config.ts";

/** Time in which programs that were just started announce their parameters, milliseconds. */
const ANNOUNCED_WITHIN_MS = 10_000;
/** Pause between two requests for parameters that no program has yet, milliseconds: nothing says that there are more. */
const ASK_AGAIN_MS = 500;

interface NamedValue {
  name: string;
  value: string;
}

/** The values that a mode has itself. */
export function parametersOf({ parameters }: Pick<ModeDefinition, "parameters">): NamedValue[] {
  return [...parameters].map(([name, value]) => ({ name, value: String(value) }));
}

/** The values of a mode's preset, then its own, which replace those; and why the preset cannot be loaded. */
export function parametersWithPreset(
  mode: Pick<ModeDefinition, "parameters" | "preset">,
  presets: Pick<ManagerPresets, "valuesOf">,
): { readonly parameters: NamedValue[]; readonly problem: string | null } {
  const own = parametersOf(mode);
  if (mode.preset === null) return { parameters: own, problem: null };
  try {
    const names = new Set(own.map(({ name }) => name));
    const loaded = presets.valuesOf(mode.preset).flatMap(({ service, parameter, value }) => {
      const name = fullName({ service, name: parameter });
      return names.has(parameter) || names.has(name) ? [] : [{ name, value }];
    });
    return { parameters: [...loaded, ...own], problem: null };
  } catch (error) {
    return { parameters: own, problem: `preset '${mode.preset}' was not loaded: ${messageOf(error)}` };
  }
}

type Values = ReadonlyMap<string, string>;

interface Options {
  readonly dataPlane: Pick<ManagerDataPlane, "parameters" | "setOverride">;
  readonly clock: Clock;
}

/** Sets the parameters that programs have now. Returns those that none has, or that were refused, with the reason. */
export async function setParameters(values: Values, by: string, { dataPlane }: Options): Promise<ReadonlyMap<string, string>> {
  const problems = new Map<string, string>();
  /** Programs that did not answer once: waiting for them again, for each of many values, would take hours. */
  const silent = new Set<number>();
  if (values.size === 0) return problems;
  const { parameters } = await dataPlane.parameters("*", null);
  for (const [name, value] of values) {
    try {
      const found = parameters.filter((each) => each.name === name || fullName(each) === name);
      if (found.length === 0) problems.set(name, "no program has it");
      for (const { service, provider_id, name: parameter } of found) {
        if (silent.has(provider_id)) throw new MgrError("conflict", "its program does not answer");
        await dataPlane.setOverride({ service, provider_id, parameter, enabled: true, value }, by).catch((error: unknown) => {
          if (error instanceof MgrError && error.code === "timeout") silent.add(provider_id);
          throw error;
        });
      }
    } catch (error) {
      problems.set(name, messageOf(error));
    }
  }
  return problems;
}

/** As `setParameters`, again and again until the programs that were just started have announced theirs. */
export async function setLateParameters(
  values: Values,
  by: string,
  options: Options & { readonly signal: AbortSignal },
): Promise<ReadonlyMap<string, string>> {
  const { clock, signal } = options;
  const deadline = clock.monotonic() + ANNOUNCED_WITHIN_MS;
  let left = values;
  for (;;) {
    const problems = await setParameters(left, by, options);
    if (problems.size === 0 || clock.monotonic() > deadline) return problems;
    left = new Map([...left].filter(([name]) => problems.has(name)));
    await pause(clock, ASK_AGAIN_MS, signal);
  }
}
