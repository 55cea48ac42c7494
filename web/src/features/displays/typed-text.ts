/**
 * The keys that a phone's keyboard has typed: it reports only the field's new text. Suggested words replace typed text, so the difference may
 * begin before the end.
 */
export function typedDifference(before: string, after: string): { backspaces: number; text: string } {
  const old = [...before];
  const now = [...after];
  let same = 0;
  while (same < old.length && same < now.length && old[same] === now[same]) same++;
  return { backspaces: old.length - same, text: now.slice(same).join("") };
}
