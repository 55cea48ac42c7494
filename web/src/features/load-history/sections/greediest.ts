import type { LoadFigures } from "../../../../../src/features/load-history/wire.ts";

export interface NewestLoad {
  readonly name: string;
  readonly host: string;
  readonly load: LoadFigures;
}

export type GreedBy = "cpu_percent" | "memory";

/** The processes that use the most, the greediest first. Those that use nothing are left out. */
export function greediest(loads: readonly NewestLoad[], by: GreedBy, count: number): NewestLoad[] {
  const of = ({ load }: NewestLoad) => load[by] ?? 0;
  return loads
    .filter((each) => of(each) > 0)
    .sort((a, b) => of(b) - of(a) || (a.name < b.name ? -1 : 1))
    .slice(0, count);
}
