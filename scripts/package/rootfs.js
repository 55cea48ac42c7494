// Makes the root of an image without a container engine: a minimal Debian with mgr, as a folder, or as an archive for `docker import` and the like.
//   node scripts/package/rootfs.js --archive packages/mgr-VERSION-linux-x64.tar.gz --out packages/mgr-VERSION-rootfs-x64.tar.gz
// With --folder FOLDER the root is made there, without --archive one of Debian alone. With --base FILE the Debian without mgr is taken from this tar,
// which is made if it is missing. Needs root, mmdebstrap, and an archive of this machine's architecture.
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { sourceDate } from "./options.js";

/** The Debian release of the image. */
const SUITE = "bookworm";
const USAGE = "node scripts/package/rootfs.js [--archive FILE] (--out FILE | --folder FOLDER) [--base FILE]";
/** The folder in the root that has the archive and the files of the image while it is set up. */
const SETUP = "tmp/mgr-setup";

const run = (command, args, environment = {}) =>
  execFileSync(command, args, { env: { ...process.env, ...environment }, stdio: ["ignore", "ignore", "inherit"] });

function main() {
  const options = Object.fromEntries(["archive", "out", "folder", "base"].map((name) => [name, { type: "string" }]));
  const { values } = parseArgs({ options });
  if ((values.out === undefined) === (values.folder === undefined)) throw new Error(`usage: ${USAGE}`);
  if (process.getuid() !== 0) throw new Error("run it as root: it unpacks files of root and runs programs in their root folder");
  const work = mkdtempSync(join(tmpdir(), "mgr-rootfs-"));
  try {
    const base = resolve(values.base ?? join(work, "base.tar"));
    if (!existsSync(base)) makeBase(base);
    const folder = resolve(values.folder ?? join(work, "root"));
    mkdirSync(folder, { recursive: true });
    run("tar", ["-xf", base, "-C", folder]);
    if (values.archive !== undefined) install(folder, resolve(values.archive));
    if (values.out !== undefined) pack(folder, resolve(values.out));
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Several runs may make it at once. */
function makeBase(file) {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const draft = mkdtempSync(join(dirname(file), ".new-"));
  try {
    const made = join(draft, "base.tar");
    run("mmdebstrap", ["--quiet", "--variant=minbase", SUITE, made], { SOURCE_DATE_EPOCH: String(sourceDate()) });
    renameSync(made, file);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

function install(folder, archive) {
  const setup = join(folder, SETUP);
  cpSync(join(import.meta.dirname, "image"), setup, { recursive: true });
  run("cp", [archive, setup]);
  const path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
  run("chroot", [folder, "sh", `/${SETUP}/setup.sh`, `/${SETUP}`], { PATH: path });
  rmSync(setup, { recursive: true });
}

function pack(folder, file) {
  const sameBytes = ["--sort=name", "--numeric-owner", `--mtime=@${sourceDate()}`, "--format=gnu"];
  // The engine makes devices.
  run("tar", ["-c", ...sameBytes, "--use-compress-program=gzip -n -9", "--exclude=./dev/*", "-f", file, "-C", folder, "."]);
}

try {
  main();
} catch (error) {
  console.error(`rootfs: ${error.message}`);
  process.exitCode = 1;
}
