import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createConnection } from "node:net";

/** First number of private displays: desktops, vncserver and ssh use lower ones. */
const FIRST_DISPLAY = 20;
const NUMBER_COUNT = 2_000;

/** The folder of the sockets of X servers. */
export const X_SOCKETS = "/tmp/.X11-unix";

/**
 * A number that no X server uses and that is not in `taken`; null if all are used. The search begins at a number derived from `seed`, so that two
 * managers that search at the same time do not find the same one.
 */
export async function freeDisplay(taken: ReadonlySet<number>, seed: string): Promise<number | null> {
  const start = createHash("sha256").update(seed).digest().readUInt16BE(0);
  for (let step = 0; step < NUMBER_COUNT; step++) {
    const number = FIRST_DISPLAY + ((start + step) % NUMBER_COUNT);
    if (!taken.has(number) && !(await isDisplayUsed(number))) return number;
  }
  return null;
}

/** Whether an X server runs on this display, or is about to start. */
export async function isDisplayUsed(number: number): Promise<boolean> {
  const path = `${X_SOCKETS}/X${number}`;
  return (await answers(path)) || (await answers(`\0${path}`)) || (await isLocked(number));
}

/** Whether a server listens on the unix socket. */
function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection({ path });
    const done = (isThere: boolean) => {
      socket.destroy();
      resolve(isThere);
    };
    socket.once("connect", () => done(true));
    // A full queue of connections (EAGAIN) also means that a server listens.
    socket.once("error", (error: NodeJS.ErrnoException) => done(error.code === "EAGAIN" || error.code === "EACCES"));
  });
}

/** Whether the pid in the lock file of X servers is that of a living process. */
async function isLocked(number: number): Promise<boolean> {
  const pid = Number(await readFile(`/tmp/.X${number}-lock`, "utf8").catch(() => ""));
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
