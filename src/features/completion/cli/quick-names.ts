import { localNames, MAX_WAIT_MS } from "./local-names.ts";

/**
 * The common case of `mgr completion names`, as a program that loads a tenth of the others: bin/mgr.js calls it with the words behind `names`. False: the
 * whole program has to do it.
 */
export async function quickNames(words: readonly string[]): Promise<boolean> {
  const kinds: string[] = [];
  const values = new Map<string, string>();
  for (let index = 0; index < words.length; index++) {
    const word = words[index] ?? "";
    const value = words[index + 1];
    if (!word.startsWith("-")) kinds.push(word);
    else if (!["--prefix", "-c", "--config"].includes(word) || value === undefined) return false;
    else {
      values.set(word, value);
      index++;
    }
  }
  if (kinds.length === 0) return false;
  const deadline = setTimeout(() => process.exit(), MAX_WAIT_MS);
  try {
    const names = await localNames({ kinds, prefix: values.get("--prefix") ?? "" }, values.get("-c") ?? values.get("--config"));
    if (names !== null) process.stdout.write(names);
    return names !== null;
  } catch {
    return true; // The manager does not answer, or not with names.
  } finally {
    clearTimeout(deadline);
  }
}
