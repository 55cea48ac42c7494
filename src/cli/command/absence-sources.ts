/** Returns a part of a sentence: what has happened to the manager with this state folder, which does not run; null: nothing is known. */
export type AbsenceSource = (stateDir: string) => Promise<string | null>;

let sources: readonly AbsenceSource[] = [];

/** Called by the program with those of its features, which import what connects to managers, and so cannot be imported there. */
export function setAbsenceSources(all: readonly AbsenceSource[]): void {
  sources = all;
}

/** The first thing that is known about a manager that does not run. */
export async function newsOfAbsence(stateDir: string): Promise<string | null> {
  for (const source of sources) {
    const news = await source(stateDir);
    if (news !== null) return news;
  }
  return null;
}
