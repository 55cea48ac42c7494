import { existsSync, readdirSync, statSync } from "node:fs";
import { basename, extname, join } from "node:path";
import { messageOf } from "../../../base/errors.ts";
import type { KindName } from "./kind-names.ts";
import { convertCompose } from "./kinds/compose/index.ts";
import type { Convert } from "./kinds/kind.ts";
import { convertPm2 } from "./kinds/pm2/index.ts";
import { convertProcessCompose } from "./kinds/process-compose/index.ts";
import { convertProcfile } from "./kinds/procfile/index.ts";
import { convertSupervisord } from "./kinds/supervisord/index.ts";
import { convertSystemd } from "./kinds/systemd/index.ts";
import { ImportFailure } from "./model/failure.ts";
import { asMap, yamlTree } from "./model/tree.ts";
import type { SourceFiles } from "./sources.ts";

interface Kind {
  readonly title: string;
  readonly convert: Convert;
  /** Names of its files, of which the first one that is there counts. */
  readonly files: readonly string[];
}

export const KINDS: Readonly<Record<KindName, Kind>> = {
  "process-compose": {
    title: "process-compose",
    convert: convertProcessCompose,
    files: ["process-compose.yaml", "process-compose.yml"],
  },
  compose: {
    title: "Docker Compose",
    convert: convertCompose,
    files: ["compose.yaml", "compose.yml", "docker-compose.yaml", "docker-compose.yml"],
  },
  supervisord: { title: "supervisord", convert: convertSupervisord, files: ["supervisord.conf", "supervisor.conf"] },
  pm2: {
    title: "pm2",
    convert: convertPm2,
    files: ["json", "yaml", "yml", "js", "cjs", "mjs"].flatMap((ending) => [
      `ecosystem.config.${ending}`,
      `pm2.config.${ending}`,
      `ecosystem.${ending}`,
    ]),
  },
  procfile: { title: "Procfile", convert: convertProcfile, files: ["Procfile"] },
  systemd: { title: "systemd", convert: convertSystemd, files: [] },
};
const NAMES = Object.keys(KINDS) as KindName[];

export interface Found {
  readonly kind: KindName;
  /** The file, or for systemd the folder. */
  readonly path: string;
}

/** What can be imported in a folder. */
export function foundIn(folder: string): Found[] {
  if (!existsSync(folder)) return [];
  const found: Found[] = NAMES.flatMap((kind) => {
    const name = KINDS[kind].files.find((each) => existsSync(join(folder, each)));
    return name === undefined ? [] : [{ kind, path: join(folder, name) }];
  });
  return readdirSync(folder).some((name) => name.endsWith(".service")) ? [...found, { kind: "systemd", path: folder }] : found;
}

/** The kind of a file, by its name or its content, or what a folder has. Throws ImportFailure. */
export async function recognise(path: string, from: KindName | null, files: SourceFiles): Promise<Found> {
  if (!isFolder(path, files)) return { kind: from ?? kindByName(path) ?? (await kindByContent(path, files)), path };
  const found = foundIn(path).filter(({ kind }) => from === null || kind === from);
  const [only, ...others] = found;
  if (only === undefined) throw new ImportFailure(`${files.nameOf(path)} has no file that can be imported; name the file`);
  if (others.length > 0)
    throw new ImportFailure(
      `${files.nameOf(path)} has several: ${found.map((each) => files.nameOf(each.path)).join(", ")}; name one of them, or add --from`,
    );
  return only;
}

function isFolder(path: string, files: SourceFiles): boolean {
  try {
    return statSync(path).isDirectory();
  } catch (error) {
    const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT";
    throw new ImportFailure(`${files.nameOf(path)} ${isMissing ? "does not exist" : `cannot be read: ${messageOf(error)}`}`);
  }
}

function kindByName(path: string): KindName | undefined {
  const name = basename(path);
  if (name.endsWith(".service")) return "systemd";
  if (/^Procfile(\.|$)/.test(name)) return "procfile";
  if (/^\.[cm]?js$/.test(extname(name))) return "pm2";
  return NAMES.find((kind) => KINDS[kind].files.includes(name));
}

/** Keys by which a YAML or JSON file is recognised. */
const TOP_KEYS: readonly (readonly [string, KindName])[] = [
  ["processes", "process-compose"],
  ["services", "compose"],
  ["apps", "pm2"],
  ["script", "pm2"],
];

async function kindByContent(path: string, files: SourceFiles): Promise<KindName> {
  const name = files.nameOf(path);
  const text = await files.read(path);
  files.names.pop();
  if (/^\s*\[(program|supervisord|group|include)\b/m.test(text)) return "supervisord";
  if (/^\[Service\]/m.test(text)) return "systemd";
  if (/\.(ya?ml|json)$/i.test(name)) {
    const keys = asMap(yamlTree(text, name));
    if (keys.has("instance")) throw new ImportFailure(`${name} is already a configuration of mgr`);
    const kind = TOP_KEYS.find(([key]) => keys.has(key))?.[1];
    if (kind !== undefined) return kind;
  }
  throw new ImportFailure(`${name}: the kind of this file is not recognised; name it with --from ${NAMES.join("|")}`);
}
