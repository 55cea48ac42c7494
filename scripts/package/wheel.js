// Builds the wheel of the Python client with Debian's setuptools. No index is asked.
import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root, version } from "./options.js";

const FILES = ["mgr_client.py", "pyproject.toml", "README.md"];

/** Writes mgr_client-VERSION-py3-none-any.whl into `out`. */
export function buildWheel(out, date) {
  const source = join(root, "clients/python");
  const [, stated] = /^version = "(.*)"$/m.exec(readFileSync(join(source, "pyproject.toml"), "utf8")) ?? [];
  if (stated !== version)
    throw new Error(`clients/python/pyproject.toml has version ${stated}, package.json ${version}: write the same into both`);
  const folder = mkdtempSync(join(tmpdir(), "mgr-wheel-"));
  try {
    // A build writes beside its sources, and keeps their modes.
    for (const name of FILES) {
      copyFileSync(join(source, name), join(folder, name));
      chmodSync(join(folder, name), 0o644);
    }
    const build = `import os, sys; os.umask(0o022); from setuptools.build_meta import build_wheel; build_wheel(sys.argv[1])`;
    // Debian's own Python: another one on PATH does not see Debian's packages.
    execFileSync("/usr/bin/python3", ["-c", build, out], {
      cwd: folder,
      env: { ...process.env, SOURCE_DATE_EPOCH: String(date) },
      stdio: ["ignore", "ignore", "pipe"],
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
