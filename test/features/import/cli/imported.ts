import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { convert, type Imported } from "../../../../src/features/import/cli/convert.ts";
import type { KindName } from "../../../../src/features/import/cli/kind-names.ts";

export const FIXTURES = fileURLToPath(new URL("../../../fixtures/import", import.meta.url));

export interface Parsed extends Imported {
  readonly processes: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly defaults: unknown;
  /** Each key that was not carried over, with its line. */
  readonly lost: readonly string[];
  readonly guesses: readonly string[];
}

interface Options {
  readonly from?: KindName;
  /** Import the folder instead of the first file. */
  readonly whole?: boolean;
  readonly environment?: Record<string, string>;
  readonly runJavascript?: boolean;
  readonly outside?: boolean;
}

/** Imports a file for a configuration beside it, as `mgr import` does. */
export async function importFile(
  path: string,
  { from, environment = {}, runJavascript = false, outside = false }: Options = {},
): Promise<Parsed> {
  const target = join(path.endsWith(".service") || /\.\w+$|Procfile$/.test(path) ? dirname(path) : path, "mgr.yaml");
  const imported = await convert(path, { from: from ?? null, target, runJavascript, outside, name: null, environment });
  const { processes, defaults } = parse(imported.text) as Pick<Parsed, "processes" | "defaults">;
  const { dropped, guessed } = imported.report;
  return {
    ...imported,
    processes,
    defaults,
    lost: dropped.map(({ key, place }) => `${place.line} ${key}`),
    guesses: guessed.map(({ key, place }) => `${place.line} ${key}`),
  };
}

/** Imports files with these texts, the first one, from a folder of its own. */
export async function importTexts(texts: Readonly<Record<string, string>>, options: Options = {}): Promise<Parsed> {
  const folder = mkdtempSync(join(tmpdir(), "mgr-import-"));
  try {
    for (const [name, text] of Object.entries(texts)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
    return await importFile(options.whole ? folder : join(folder, Object.keys(texts)[0] ?? ""), options);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
