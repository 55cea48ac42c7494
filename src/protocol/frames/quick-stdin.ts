/** Beyond these the schema counts: characters, and bytes, are at most so many UTF-16 units, and three bytes each. */
const SURE_NAME_UNITS = 255;
const SURE_TEXT_UNITS = Math.floor(65_536 / 3);

/**
 * A `send_stdin` as it comes for each key, which is not to wait for a schema that no cache holds after a rest
 * (docs/decisions/0017). Null: the schema has to look. What it returns is what the schema would.
 */
export function quickStdin(json: Readonly<Record<string, unknown>>): { type: "send_stdin"; name: string; text: string } | null {
  const { type, name, text } = json;
  if (type !== "send_stdin" || json.reply !== undefined || json.request_id !== undefined) return null;
  if (typeof name !== "string" || name.length === 0 || name.length > SURE_NAME_UNITS) return null;
  if (typeof text !== "string" || text.length > SURE_TEXT_UNITS) return null;
  return { type, name, text };
}
