// Builds the Debian package around a program folder, with dpkg-deb.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { DEBIAN_ARCHITECTURES, root, version } from "./options.js";

const TEMPLATES = join(import.meta.dirname, "debian");
const PROGRAM = "usr/lib/mgr";
const CONFIGURATION = "etc/mgr/mgr.yaml";
const MAINTAINER_SCRIPTS = ["postinst", "prerm", "postrm"];
/** Where the shells of Debian look for what they complete. */
const COMPLETION = {
  "mgr.bash": "usr/share/bash-completion/completions/mgr",
  "mgr.zsh": "usr/share/zsh/vendor-completions/_mgr",
  "mgr.fish": "usr/share/fish/vendor_completions.d/mgr.fish",
};

/** Writes `file`. `program` is moved into the tree of the package, which is made at `tree`. */
export function buildDebianPackage(program, tree, file, { arch, date, fast }) {
  const put = (path, content, mode = 0o644) => {
    mkdirSync(dirname(join(tree, path)), { recursive: true });
    writeFileSync(join(tree, path), content);
    chmodSync(join(tree, path), mode);
  };
  const template = (name) => readFileSync(join(TEMPLATES, name));
  const compressed = (text) => gzipSync(text, { level: 9 });

  mkdirSync(join(tree, dirname(PROGRAM)), { recursive: true });
  renameSync(program, join(tree, PROGRAM));
  mkdirSync(join(tree, "usr/bin"));
  symlinkSync("../lib/mgr/mgr", join(tree, "usr/bin/mgr"));
  put(CONFIGURATION, template("mgr.yaml"));
  put("usr/lib/systemd/system/mgr.service", unit());
  // What only an installation by a package has.
  put("usr/lib/systemd/system/mgr.service.d/package.conf", template("package.conf"));
  put("usr/share/doc/mgr/copyright", copyright());
  put("usr/share/doc/mgr/changelog.gz", compressed(readFileSync(join(root, "CHANGELOG.md"))));
  const share = join(tree, PROGRAM, "share");
  for (const page of readdirSync(join(share, "man/man1")))
    put(`usr/share/man/man1/${page}.gz`, compressed(readFileSync(join(share, "man/man1", page))));
  for (const script of readdirSync(join(share, "completion"))) put(COMPLETION[script], readFileSync(join(share, "completion", script)));
  rmSync(share, { recursive: true });

  const files = filesBelow(tree, "");
  put("DEBIAN/md5sums", files.map((path) => `${hashOf("md5", join(tree, path))}  ${path}\n`).join(""));
  put("DEBIAN/conffiles", `/${CONFIGURATION}\n`);
  const kibibytes = files.reduce((sum, path) => sum + Math.ceil(lstatSync(join(tree, path)).size / 1024), 0);
  put("DEBIAN/control", control(arch, kibibytes));
  for (const script of MAINTAINER_SCRIPTS) put(`DEBIAN/${script}`, template(script), 0o755);
  setFolderModes(tree);

  const compression = fast ? ["-Znone"] : ["-Zxz"];
  // With more threads, xz makes other bytes.
  const env = { ...process.env, SOURCE_DATE_EPOCH: String(date), DPKG_DEB_THREADS_MAX: "1" };
  execFileSync("dpkg-deb", ["--root-owner-group", ...compression, "--build", tree, file], { env, stdio: ["ignore", "ignore", "inherit"] });
}

/** Name of the file, as Debian's tools expect it. */
export const debianFile = (arch) => `mgr_${version}_${DEBIAN_ARCHITECTURES[arch]}.deb`;

/** The unit that `mgr service install` writes. */
function unit() {
  const service = ["--config", `/${CONFIGURATION}`, "--run-as", "mgr", "--program", "/usr/bin/mgr"];
  return execFileSync(process.execPath, [join(root, "bin/mgr.js"), "service", "install", "--dry-run", ...service]);
}

function control(arch, kibibytes) {
  return `Package: mgr
Version: ${version}
Architecture: ${DEBIAN_ARCHITECTURES[arch]}
Maintainer: the mgr authors <mgr@localhost>
Installed-Size: ${kibibytes}
Depends: libc6 (>= 2.28), libgcc-s1 | libgcc1, libstdc++6, adduser
Recommends: bzip2
Suggests: gdb, tigervnc-standalone-server
Section: admin
Priority: optional
Description: supervisor of processes under terminals, with a page and an API
 mgr supervises named processes in groups under real terminals, and serves
 them to a browser, to scripts and to the command line on one TCP port. When
 the manager is killed, the processes keep running, and the next one adopts
 them. The Node that it runs with is inside the package.
`;
}

function copyright() {
  const license = readFileSync(join(root, "LICENSE"), "utf8");
  return `${license}
Node has its licence in /usr/lib/mgr/node/LICENSE, packages in /usr/lib/mgr/node_modules. What is bundled into
/usr/lib/mgr/dist has the comments of its authors there.
`;
}

function filesBelow(tree, folder) {
  return readdirSync(join(tree, folder), { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return filesBelow(tree, path);
      return entry.isFile() ? [path] : [];
    });
}

function setFolderModes(path) {
  chmodSync(path, 0o755);
  for (const entry of readdirSync(path, { withFileTypes: true })) if (entry.isDirectory()) setFolderModes(join(path, entry.name));
}

/** Hex digits of a file's hash. */
export function hashOf(algorithm, path) {
  return createHash(algorithm).update(readFileSync(path)).digest("hex");
}
