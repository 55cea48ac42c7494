import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** Names of the pictures of docs/screenshots that the README and the documents show. */
export function shownPictures(): Set<string> {
  const documents = readdirSync(join(ROOT, "docs"), { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".md"));
  const texts = ["README.md", ...documents.map((name) => join("docs", name))].map((name) => readFileSync(join(ROOT, name), "utf8"));
  return new Set(texts.flatMap((text) => [...text.matchAll(/\bscreenshots\/([\w-]+\.webp)/gu)].map(([, name = ""]) => name)));
}
