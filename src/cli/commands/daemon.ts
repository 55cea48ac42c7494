import { spawn } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { localHostName } from "../../app/host-names.ts";
import { instanceUuid } from "../../daemon/lock.ts";
import { socketDir } from "../../daemon/sockets.ts";
import { loadConfig } from "../configuration.ts";
import { EXIT } from "../exit-codes.ts";

const BUNDLE = fileURLToPath(new URL("../../../dist/daemon.mjs", import.meta.url));

/** `mgr daemon`: this host's daemon in the foreground; the manager of the same configuration finds it by its lock. */
export async function daemon(flags: { config?: string }): Promise<void> {
  const { instance } = await loadConfig(flags.config);
  const socket = join(await socketDir(await instanceUuid(instance.state_dir)), "bus.sock");
  const settings = { state_dir: instance.state_dir, host: localHostName(), socket, on_manager_lost: "keep" };
  const child = spawn(process.execPath, [BUNDLE, JSON.stringify(settings)], { stdio: "inherit" });
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => child.kill("SIGTERM"));
  process.exitCode = await new Promise<number>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => resolve(code ?? EXIT.failed));
  });
}
