import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Browser, chromium } from "playwright-core";
import { parse } from "yaml";
import { type Configuration, Instance } from "./instance.ts";

const PACKAGE = fileURLToPath(new URL("../../..", import.meta.url));
const DEMO = join(PACKAGE, "examples/demo");

/** The demo as it stands in examples/demo, but on a free port and in a folder of its own; perhaps with more processes. */
export async function demo(more: Record<string, unknown> = {}, dir?: string): Promise<Instance> {
  const configuration = parse(readFileSync(join(DEMO, "mgr.yaml"), "utf8")) as Configuration;
  const instance = new Instance(
    {
      ...configuration,
      processes: { ...configuration.processes, ...more },
      instance: { name: "demo" },
    },
    dir,
  );
  cpSync(join(DEMO, "programs"), join(instance.dir, "programs"), { recursive: true });
  // The arm imports mgr/client.
  mkdirSync(join(instance.dir, "node_modules"), { recursive: true });
  symlinkSync(PACKAGE, join(instance.dir, "node_modules/mgr"));
  try {
    await instance.mgr("up", "--detach");
    return instance;
  } catch (error) {
    await instance[Symbol.asyncDispose]();
    throw error;
  }
}

const HEADLESS_SHELL = "/usr/bin/chromium-headless-shell";
/** Of the same version. The shell has no windows of its own: a new context takes a third of the processor time. */
const CHROMIUM = existsSync(HEADLESS_SHELL) ? HEADLESS_SHELL : "/usr/bin/chromium";

/** Debian's Chromium (scripts/system-packages). Inside a container it has neither sandbox nor graphics card, and without WebGL the terminal is text. */
export function launchBrowser(...args: string[]): Promise<Browser> {
  return chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox", "--disable-gpu", "--disable-3d-apis", ...args] });
}
