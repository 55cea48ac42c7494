// `npm run package`: writes what users install, from `dist` and the versions of the lock files, with a list of their contents and their hashes.
// The same commit makes the same bytes.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { packArchive } from "./archive.js";
import { buildDebianPackage, debianFile, hashOf } from "./debian.js";
import { readOptions, root, sourceDate, version } from "./options.js";
import { makeProgramFolder } from "./program-folder.js";
import { writeSbom } from "./sbom.js";
import { buildWheel } from "./wheel.js";

const SUMS = "SHA256SUMS";

async function main() {
  const { out, architectures, artefacts, fast } = readOptions(process.argv.slice(2));
  const date = sourceDate();
  mkdirSync(out, { recursive: true });
  // Beside the artefacts: the folder of temporary files may be small.
  const work = mkdtempSync(join(out, ".work-"));
  try {
    if (artefacts.has("archive") || artefacts.has("deb")) {
      for (const arch of architectures) {
        const name = `mgr-${version}-linux-${arch}`;
        const program = join(work, name);
        await makeProgramFolder(program, arch);
        if (artefacts.has("archive")) packArchive(program, join(out, `${name}.tar.gz`), { date, level: fast ? 1 : 9 });
        if (artefacts.has("deb")) buildDebianPackage(program, join(work, `deb-${arch}`), join(out, debianFile(arch)), { arch, date, fast });
      }
    }
    if (artefacts.has("npm"))
      execFileSync("npm", ["pack", "--ignore-scripts", "--silent", "--pack-destination", out], {
        cwd: root,
        stdio: ["ignore", "ignore", "inherit"],
      });
    if (artefacts.has("wheel")) buildWheel(out, date);
    if (artefacts.has("sbom")) writeSbom(join(out, `mgr-${version}.cdx.json`), date);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  const files = readdirSync(out, { withFileTypes: true }).flatMap((entry) => (entry.isFile() && entry.name !== SUMS ? [entry.name] : []));
  writeFileSync(
    join(out, SUMS),
    files
      .sort()
      .map((name) => `${hashOf("sha256", join(out, name))}  ${name}\n`)
      .join(""),
  );
  for (const name of files) console.log(`${(statSync(join(out, name)).size / 2 ** 20).toFixed(1).padStart(6)} MiB  ${join(out, name)}`);
}

main().catch((error) => {
  console.error(`package: ${error.message}`);
  process.exitCode = 1;
});
