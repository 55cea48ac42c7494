import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { messageOf } from "../../base/errors.ts";
import { readTrustedJsonState } from "../../files/json-state-file.ts";
import { writeFileAtomically } from "../../files/replace-file.ts";
import { readStateBytes } from "../../files/state-file.ts";
import { makeStateFolder } from "../../files/state-folder.ts";
import type { LogBook } from "../../log/log-book.ts";
import { ConfigHistory, type VersionStore } from "./config-history.ts";

const LIST = "versions.json";
const HASH = /^[0-9a-f]{64}$/;

const listSchema = z.array(
  z.object({ path: z.string(), hash: z.string().regex(HASH), time: z.number(), by: z.string().nullable(), size: z.int() }),
);

/**
 * Opens the versions of configuration files in a folder: one file for each text, named after its hash, and their list. If the folder cannot be
 * used, this is logged and versions are kept in memory.
 */
export async function openConfigHistory(dir: string, log: LogBook): Promise<ConfigHistory> {
  try {
    makeStateFolder(dir);
    const lost = "earlier versions of the configuration are removed";
    const saved = readTrustedJsonState(join(dir, LIST), { schema: listSchema, empty: [], lost, warn: (msg) => log.warn(msg) });
    const used = new Set(saved.map(({ hash }) => hash));
    // A manager that was killed between two writes leaves such files.
    for (const name of await readdir(dir)) if (HASH.test(name) && !used.has(name)) await rm(join(dir, name), { force: true });
    return new ConfigHistory(folderVersions(dir), saved);
  } catch (error) {
    log.warn(`earlier versions of the configuration are not saved: ${messageOf(error)}`);
    return new ConfigHistory();
  }
}

function folderVersions(dir: string): VersionStore {
  return {
    read: async (hash) => {
      const bytes = await readStateBytes(join(dir, hash)).catch(() => null);
      return bytes?.toString() ?? null;
    },
    async write(hash, content) {
      // The folder may have been removed meanwhile.
      makeStateFolder(dir);
      await writeFileAtomically(join(dir, hash), content);
    },
    remove: (hash) => rm(join(dir, hash), { force: true }),
    async saveList(versions) {
      await writeFileAtomically(join(dir, LIST), JSON.stringify(versions));
    },
  };
}
