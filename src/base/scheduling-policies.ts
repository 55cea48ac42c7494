/** Scheduling policies that can be chosen, with the numbers that Linux has for them. */
export const POLICIES = { other: 0, batch: 3, idle: 5, fifo: 1, rr: 2 } as const;
export type Policy = keyof typeof POLICIES;

/** Policies with a priority. */
export const REAL_TIME_POLICIES: ReadonlySet<number> = new Set([POLICIES.fifo, POLICIES.rr]);

/** All policies, including those that a task may have although they cannot be chosen. */
const LINUX_POLICIES = new Map<string, number>([...Object.entries(POLICIES), ["deadline", 6], ["ext", 7]]);
const NAMES = new Map([...LINUX_POLICIES].map(([name, number]) => [number, name]));

/** The name of a policy; the number itself if it has no name. */
export function policyName(number: number): string {
  return NAMES.get(number) ?? String(number);
}

export function policyNumber(name: string): number | undefined {
  return LINUX_POLICIES.get(name.toLowerCase());
}
