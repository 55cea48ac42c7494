// Writes the CycloneDX list of what is in the product: npm's, without what only builds and tests need, and with the Node inside.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { closure } from "./native-parts.js";
import { root, version } from "./options.js";

const readJson = (path) => JSON.parse(readFileSync(join(root, path), "utf8"));

export function writeSbom(file, date) {
  const listed = execFileSync("npm", ["sbom", "--sbom-format=cyclonedx", "--package-lock-only"], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
  const sbom = JSON.parse(listed);
  const node = nodeComponents();
  const product = productPackages();
  const main = sbom.metadata.component["bom-ref"];
  sbom.components = [...sbom.components.filter(({ "bom-ref": ref }) => product.has(ref)), ...node];
  const there = new Set([main, ...sbom.components.map(({ "bom-ref": ref }) => ref)]);
  sbom.dependencies = sbom.dependencies
    .filter(({ ref }) => there.has(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((other) => there.has(other)) }));
  sbom.dependencies.find(({ ref }) => ref === main).dependsOn.push(...node.map(({ "bom-ref": ref }) => ref));
  Object.assign(sbom.metadata.component, { type: "application", name: "mgr", version });
  // npm takes a random number and the present; the same commit makes the same file.
  sbom.metadata.timestamp = new Date(date * 1_000).toISOString();
  sbom.serialNumber = `urn:uuid:${uuidOf(JSON.stringify([sbom.components, date]))}`;
  writeFileSync(file, `${JSON.stringify(sbom, null, 2)}\n`);
}

/** References (`name@version`) of packages that are in the product on Linux: dependencies, and what the page is built from. */
function productPackages() {
  const { dependencies, devDependencies } = readJson("package.json");
  const { packages } = readJson("package-lock.json");
  const ofPage = Object.keys(devDependencies).filter((name) => importedByPage().has(name));
  const found = closure(packages, [...Object.keys(dependencies), ...ofPage]);
  const fits = ({ os, cpu }) => (os === undefined || os.includes("linux")) && (cpu === undefined || /x64|arm64/.test(cpu.toString()));
  return new Set(
    Object.entries(found)
      .filter(([, entry]) => fits(entry))
      .map(([path, { name, version }]) => `${name ?? path.slice("node_modules/".length)}@${version}`),
  );
}

/** Packages that the sources of the page import, also in its style sheets. */
function importedByPage() {
  const names = new Set();
  const folder = join(root, "web/src");
  for (const name of readdirSync(folder, { recursive: true })) {
    if (!/\.(ts|tsx|css)$/.test(name)) continue;
    for (const [, found] of readFileSync(join(folder, name), "utf8").matchAll(/(?:from|import\(?)\s*"((?:@[\w.-]+\/)?[\w-][\w.-]*)/g))
      names.add(found);
  }
  return names;
}

function nodeComponents() {
  const { packages } = readJson("scripts/package/node/package-lock.json");
  return Object.entries(packages)
    .filter(([path]) => path !== "")
    .map(([path, { version, integrity, license }]) => {
      const name = path.slice("node_modules/".length);
      return {
        "bom-ref": `${name}@${version}`,
        type: "application",
        name,
        version,
        scope: "required",
        purl: `pkg:npm/${name}@${version}`,
        hashes: [{ alg: "SHA-512", content: Buffer.from(integrity.slice("sha512-".length), "base64").toString("hex") }],
        licenses: [{ license: { id: license } }],
      };
    });
}

/** A UUID (version 8) of a hash. */
function uuidOf(text) {
  const hex = createHash("sha256").update(text).digest("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join("-");
}
