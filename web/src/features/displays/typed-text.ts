/**
 * What a phone's keyboard has done to a field: it gives no keys, only the field's new text. Words that it suggests replace
 * what was typed, so the difference may begin before the end.
 */
export function typedDifference(before: string, after: string): { backspaces: number; text: string } {
  const old = [...before];
  const now = [...after];
  let same = 0;
  while (same < old.length && same < now.length && old[same] === now[same]) same++;
  return { backspaces: old.length - same, text: now.slice(same).join("") };
}
