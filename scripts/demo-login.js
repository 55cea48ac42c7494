// The demo's address, auth file (made with a random password if it is missing) and welcome. Shared by `npm start` and `npm run dev`.
import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = join(fileURLToPath(import.meta.url), "../..");
export const configuration = join(root, "examples/demo/mgr.yaml");
export const url = `http://localhost:${process.env.DEMO_PORT || 8130}/`;

/** User and password of the first entry; a hashed password is null. */
export function demoLogin() {
  const keys = join(root, "examples/demo/webui.keys");
  if (!existsSync(keys)) writeFileSync(keys, `demo ${randomBytes(9).toString("base64url")}\n`, { mode: 0o600 });
  const lines = readFileSync(keys, "utf8").split("\n");
  const entry = lines.find((line) => line.trim() !== "" && !line.startsWith("#")) ?? "";
  const [user = "", password = ""] = entry.split(/ (.*)/);
  return { user, password: password.startsWith("$scrypt$") ? null : password };
}

/** What `npm start` prints when the demo is up; the credentials last, where they are found. `mgr` makes a command line. */
export function welcomeText({ url, user, password, pid, mgr }) {
  return `
  To try in another terminal:
    ${mgr("top")}  states and load, live
    ${mgr("logs -f")}  output of all processes, live
    ${mgr("attach tools/shell")}  a real terminal; Ctrl-] leaves it
    ${`kill -9 ${pid}`.padEnd(64)}  kill the manager; npm start finds everything running

  Ctrl-C here stops everything.

  Page:      ${url}
  User:      ${user}
  Password:  ${password ?? "(the auth file has only its hash)"}
`;
}
