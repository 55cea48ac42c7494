// Options of `npm run package`, and what all artefacts share: version, architectures, the time that stands in their files.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";

export const root = join(import.meta.dirname, "../..");
export const { version, description } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

/** Architectures by the names that Node and npm have for them, with those of Debian. */
export const DEBIAN_ARCHITECTURES = { x64: "amd64", arm64: "arm64" };
const ARTEFACTS = ["archive", "deb", "npm", "wheel", "sbom"];

const USAGE = `npm run package -- [--out FOLDER] [--arch x64,arm64] [--only ${ARTEFACTS.join(",")}] [--fast]`;

/** Throws with the usage if there is an argument that is not known. */
export function readOptions(args) {
  const { values } = parseArgs({
    args,
    options: {
      out: { type: "string", default: "packages" },
      arch: { type: "string", default: Object.keys(DEBIAN_ARCHITECTURES).join(",") },
      only: { type: "string", default: ARTEFACTS.join(",") },
      // Compresses little: a sixth of the processor time, and larger files (Debian packages are not compressed at all).
      fast: { type: "boolean", default: false },
    },
  });
  const chosen = (option, known) => {
    const names = values[option].split(",");
    const unknown = names.find((name) => !known.includes(name));
    if (unknown !== undefined) throw new Error(`--${option} ${unknown} is unknown; known: ${known.join(", ")}. Usage: ${USAGE}`);
    return names;
  };
  return {
    out: resolve(values.out),
    architectures: chosen("arch", Object.keys(DEBIAN_ARCHITECTURES)),
    artefacts: new Set(chosen("only", ARTEFACTS)),
    fast: values.fast,
  };
}

/** Seconds since 1970 that stand in all files: of the last commit, so that the same commit makes the same bytes. */
export function sourceDate() {
  const given = process.env.SOURCE_DATE_EPOCH;
  if (given !== undefined) {
    if (!/^\d{1,12}$/.test(given)) throw new Error(`SOURCE_DATE_EPOCH is '${given}'; it has to be seconds since 1970`);
    return Number(given);
  }
  try {
    return Number(execFileSync("git", ["log", "-1", "--format=%ct"], { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }));
  } catch (cause) {
    throw new Error("the time of the last commit is unknown: package a git checkout, or set SOURCE_DATE_EPOCH (seconds since 1970)", {
      cause,
    });
  }
}
