// Writes what is generated from the schemas. Run it after each change of a schema or a description: `npm run generate`.
import { writeFileSync } from "node:fs";
import { generatedFiles } from "./generated-files.ts";

const root = new URL("../..", import.meta.url);
for (const [path, content] of generatedFiles()) {
  writeFileSync(new URL(path, root), content);
  console.log(`${path}: ${content.length} characters`);
}
