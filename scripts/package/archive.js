// Packs a folder as .tar.gz: the same files make the same bytes.
import { execFileSync } from "node:child_process";
import { basename, dirname } from "node:path";

/** Writes `file` with `folder` in it. `level` is that of gzip. */
export function packArchive(folder, file, { date, level }) {
  const sameBytes = ["--sort=name", "--owner=0", "--group=0", "--numeric-owner", `--mtime=@${date}`, "--format=gnu"];
  const compress = `--use-compress-program=gzip -n -${level}`;
  execFileSync("tar", ["-c", ...sameBytes, compress, "-f", file, "-C", dirname(folder), basename(folder)], { stdio: "inherit" });
}
