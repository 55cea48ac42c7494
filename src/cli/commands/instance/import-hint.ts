import { relative } from "node:path";
import { quoteWords } from "../../../base/text/shell-words.ts";
import { CLI_FEATURES } from "../../../features/cli.ts";
import { CONFIG_FILE } from "../../manager/config-path.ts";

/** Names what can be imported from the working folder, as the end of a sentence; "" if there is nothing. */
export async function importHint(): Promise<string> {
  const importers = CLI_FEATURES.flatMap(({ importer }) => importer ?? []);
  const found = (await Promise.all(importers.map(({ find }) => find(process.cwd())))).flat();
  const [first] = found.map((path) => relative(process.cwd(), path) || ".");
  return first === undefined ? "" : `, or from ${first} with: ${quoteWords(["mgr", "import", first, "-o", CONFIG_FILE])}`;
}
