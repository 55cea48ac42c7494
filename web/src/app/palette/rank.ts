import type { Action } from "../../actions/action.ts";
import { fuzzyMatcher } from "../../ui/fuzzy.ts";

/** Bonuses on the score of actions of the shown view, and of places. */
const NEAR_BONUS = 6;
const PLACE_BONUS = 14;

interface Ranked {
  readonly action: Action;
  readonly tier: number;
  readonly score: number;
}

/**
 * The actions that match the typed text, the best first and `most` of them; the actions of the shown view if nothing is typed. An action that ends
 * processes never precedes another action that matches as well: with the typed words in its title, or with abbreviations of them.
 */
export function ranked(actions: readonly Action[], query: string, most: number = actions.length): Action[] {
  const words = query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  if (words.length === 0) {
    const near = actions.filter((action) => action.near);
    const first = near[0]?.isDanger ? [...near.filter(({ isDanger }) => !isDanger), ...near.filter(({ isDanger }) => isDanger)] : near;
    return first.slice(0, most);
  }
  const scoreOf = fuzzyMatcher(query);
  const best: Ranked[] = [];
  for (const action of actions) {
    const score = scoreOf(action.title);
    if (score === null) continue;
    const title = action.title.toLowerCase();
    const isWhole = words.every((word) => title.includes(word));
    const bonus = (action.near ? NEAR_BONUS : 0) + (action.isPlace ? PLACE_BONUS : 0);
    insert(best, { action, tier: (isWhole ? 2 : 0) + (action.isDanger ? 0 : 1), score: score + bonus }, most);
  }
  return best.map(({ action }) => action);
}

/** Inserts one behind those that are as good or better. The list keeps at most `most`: sorting all of 50,000 matches takes too long between two keys. */
function insert(best: Ranked[], one: Ranked, most: number): void {
  let at = best.length;
  for (; at > 0; at--) {
    const before = best[at - 1];
    if (before === undefined || before.tier > one.tier || (before.tier === one.tier && before.score >= one.score)) break;
  }
  if (at >= most) return;
  best.splice(at, 0, one);
  if (best.length > most) best.pop();
}

/** The action that Enter runs before the user has selected one: the first, unless it ends something. */
export function preselected(actions: readonly Action[]): Action | undefined {
  return actions[0]?.isDanger ? undefined : actions[0];
}
