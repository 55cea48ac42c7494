// The demo's address, auth file (made with a random password if it is missing) and welcome. Shared by `npm start` and `npm run dev`.
import { randomBytes } from "node:crypto";
import { accessSync, constants, existsSync, readFileSync, writeFileSync } from "node:fs";
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

/** What gui/clock of the demo needs, with the packages of Debian that have it. */
const X_PROGRAMS = { Xvnc: "tigervnc-standalone-server", openbox: "openbox", xclock: "x11-apps" };

/** A line about the demo's graphical program: where its window is, or what to install for it. */
export function windowHint(path = process.env.PATH ?? "") {
  const missing = Object.keys(X_PROGRAMS).filter((program) => !path.split(":").some((folder) => isExecutable(join(folder, program))));
  if (missing.length === 0) return "Start gui/clock on the page: its window opens on your display, in the browser.";
  return `To see a graphical program in the browser: sudo apt-get install ${missing.map((program) => X_PROGRAMS[program]).join(" ")}`;
}

function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** What `npm start` prints when the demo is up; the credentials last, where they are found. `mgr` makes a command line. */
export function welcomeText({ url, user, password, pid, mgr }) {
  return `
  To try in another terminal:
    ${mgr("top")}  states and load, live
    ${mgr("logs -f")}  output of all processes, live
    ${mgr("attach tools/shell")}  a real terminal; Ctrl-] leaves it
    ${`kill -9 ${pid}`.padEnd(64)}  kill the manager; npm start finds everything running

  ${windowHint()}
  Ctrl-C here stops everything.

  Page:      ${url}
  User:      ${user}
  Password:  ${password ?? "(the auth file has only its hash)"}
`;
}
