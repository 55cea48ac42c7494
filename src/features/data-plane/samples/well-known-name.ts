/** Whether text is the name of one of Foxglove's messages, which topics may have in the place of a definition (docs/clients.md, "Well-known messages"). */
export function isWellKnownName(text: string): boolean {
  return /^foxglove\.\w{1,100}$/.test(text);
}

/** Loads the schemas with the first name: most programs need none. Rejects with `bad_field` for an unknown name. */
export async function loadWellKnownSchema(name: string): Promise<object> {
  return (await import("./well-known-schemas.ts")).wellKnownSchema(name);
}
