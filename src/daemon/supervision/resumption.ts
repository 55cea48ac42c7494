import type { KeptProcess } from "./kept-requests.ts";

/** Decides which processes a host starts after a boot, and which have to wait for the manager. */
interface Resumption {
  readonly start: readonly KeptProcess[];
  /** Parts of a sentence, one for each process. */
  readonly waiting: readonly string[];
}

/**
 * Divides the processes of the previous daemon. One that depends on a process of another host has to wait for the manager, and so have those that
 * depend on it, or on a process that is neither among them nor has been started (`hasRun`).
 */
export function planResumption(processes: readonly KeptProcess[], hasRun: (name: string) => boolean): Resumption {
  const start = new Map(processes.map((process) => [process.spec.name, process]));
  const waiting: string[] = [];
  for (let isChanged = true; isChanged; ) {
    isChanged = false;
    for (const [name, { spec }] of start) {
      const missing = missingFor(spec.supervision, (dependency) => start.has(dependency) || hasRun(dependency));
      if (missing === null) continue;
      start.delete(name);
      waiting.push(`'${name}' (${missing})`);
      isChanged = true;
    }
  }
  return { start: [...start.values()], waiting };
}

function missingFor(supervision: KeptProcess["spec"]["supervision"], isThere: (name: string) => boolean): string | null {
  if (supervision === undefined) return "its manager has not said how to supervise it";
  const [elsewhere] = supervision.other_hosts ?? [];
  if (elsewhere !== undefined) return `it depends on '${elsewhere}' of another host`;
  const missing = supervision.depends_on.find(({ name }) => !isThere(name));
  return missing === undefined ? null : `it depends on '${missing.name}', which is not started`;
}
