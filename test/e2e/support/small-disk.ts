import { execFileSync } from "node:child_process";
import { appendFileSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";

/** A file system of 1 MiB, or so many, at `folder`, in memory. Mounting needs root, as the tests of other machines do. */
export class SmallDisk implements Disposable {
  readonly #folder: string;
  readonly #ballast: string;

  constructor(folder: string, mebibytes = 1) {
    this.#folder = folder;
    this.#ballast = join(folder, "ballast");
    mkdirSync(folder, { recursive: true });
    try {
      execFileSync("mount", ["-t", "tmpfs", "-o", `size=${mebibytes}m,mode=0700`, "tmpfs", folder], { stdio: "pipe" });
    } catch (cause) {
      throw new Error("this test has to mount a tmpfs: run it as root, where mount(8) is allowed", { cause });
    }
  }

  /** Until not one more block is free. */
  fill(): void {
    const block = Buffer.alloc(4_096);
    try {
      for (;;) appendFileSync(this.#ballast, block);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
    }
  }

  makeRoom(): void {
    rmSync(this.#ballast);
  }

  [Symbol.dispose](): void {
    // Lazily: a program of the test that ends at this moment may still hold a file.
    execFileSync("umount", ["--lazy", this.#folder]);
  }
}
