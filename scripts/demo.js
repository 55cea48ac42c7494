// `npm start`: makes the demo's auth file if it is missing, says how to log in, and runs the demo in the foreground.
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(fileURLToPath(import.meta.url), "../..");
const keys = join(root, "examples/demo/webui.keys");
if (!existsSync(keys)) writeFileSync(keys, `demo ${randomBytes(9).toString("base64url")}\n`, { mode: 0o600 });
const entry =
  readFileSync(keys, "utf8")
    .split("\n")
    .find((line) => line.trim() !== "" && !line.startsWith("#")) ?? "";
const [user = "", password = ""] = entry.split(/ (.*)/);

console.log(`
  The demo's page:  http://localhost:8130/
  user:             ${user}
  password:         ${password.startsWith("$scrypt$") ? "(only its hash is known)" : password}

  Ctrl-C stops everything.
`);

const child = spawn(process.execPath, [join(root, "bin/mgr.js"), "up", "-c", join(root, "examples/demo/mgr.yaml")], { stdio: "inherit" });
// The terminal sends Ctrl-C to the whole foreground group: mgr gets its own; this process only has to wait for it.
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => signal === "SIGTERM" && child.kill(signal));
child.on("exit", (code, signal) => process.exit(code ?? (signal ? 1 : 0)));
