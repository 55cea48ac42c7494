import { type Clock, pause } from "../../../base/clock.ts";
import { messageOf } from "../../../base/errors.ts";
import type { ManagerDataPlane } from "../../data-plane/manager/index.ts";

/** Time in which programs that were just started announce their parameters, milliseconds. */
const ANNOUNCED_WITHIN_MS = 10_000;
/** Pause between two requests for parameters that no program has yet, milliseconds: nothing says that there are more. */
const ASK_AGAIN_MS = 500;

type Values = ReadonlyMap<string, string>;

interface Options {
  readonly dataPlane: Pick<ManagerDataPlane, "parameters" | "setOverride">;
  readonly clock: Clock;
}

/** Sets the parameters that programs have now. Returns those that none has, or that were refused, with the reason. */
export async function setParameters(values: Values, by: string, { dataPlane }: Options): Promise<ReadonlyMap<string, string>> {
  const problems = new Map<string, string>();
  for (const [name, value] of values) {
    try {
      const { parameters } = await dataPlane.parameters("*", null);
      const found = parameters.filter((each) => each.name === name || `${each.service}:${each.name}` === name);
      if (found.length === 0) problems.set(name, "no program has it");
      for (const { service, provider_id, name: parameter } of found)
        await dataPlane.setOverride({ service, provider_id, parameter, enabled: true, value }, by);
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
