import type { Action } from "../../actions/action.ts";
import { fuzzyScore } from "../../ui/fuzzy.ts";

/** Bonuses on the score of actions of the shown view, and of places. */
const NEAR_BONUS = 6;
const PLACE_BONUS = 14;

/**
 * The actions that match the typed text, the best first; the actions of the shown view if nothing is typed. An action that ends processes
 * never precedes another action that matches as well: with the typed words in its title, or with abbreviations of them.
 */
export function ranked(actions: readonly Action[], query: string): Action[] {
  const words = query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  if (words.length === 0) {
    const near = actions.filter((action) => action.near);
    return near[0]?.isDanger ? [...near.filter(({ isDanger }) => !isDanger), ...near.filter(({ isDanger }) => isDanger)] : near;
  }
  const found = actions.flatMap((action) => {
    const score = fuzzyScore(query, action.title);
    if (score === null) return [];
    const title = action.title.toLowerCase();
    const isWhole = words.every((word) => title.includes(word));
    const bonus = (action.near ? NEAR_BONUS : 0) + (action.isPlace ? PLACE_BONUS : 0);
    return [{ action, tier: (isWhole ? 2 : 0) + (action.isDanger ? 0 : 1), score: score + bonus }];
  });
  return found.sort((a, b) => b.tier - a.tier || b.score - a.score).map(({ action }) => action);
}

/** The action that Enter runs before the user has selected one: the first, unless it ends something. */
export function preselected(actions: readonly Action[]): Action | undefined {
  return actions[0]?.isDanger ? undefined : actions[0];
}
