import type { Duplex } from "node:stream";
import { withTimeout } from "../../../base/timing/wait.ts";
import { CommandFailure, EXIT } from "../../../cli/command/exit-codes.ts";
import { type OpenDisplayOptions, openDisplay } from "../host/open-display.ts";
import { setupPacket } from "../x11/setup.ts";

const ANSWER_TIMEOUT_MS = 10_000;
/** Length of the fixed part of an answer, bytes. */
const HEAD_BYTES = 8;
const REFUSED = 0;
const ACCEPTED = 1;

/** The X display of --display, else of DISPLAY. */
export function desktopOf(flag: string | undefined, environment: NodeJS.ProcessEnv = process.env): OpenDisplayOptions {
  const display = flag ?? environment.DISPLAY ?? "";
  if (display !== "") return { display, authority: environment.XAUTHORITY || null };
  throw new CommandFailure(
    EXIT.usage,
    "there is no X display: DISPLAY is not set. Run 'mgr gui' in a terminal of your desktop, or name the display: mgr gui --display :0",
  );
}

/** Connects as an X client does, and disconnects. Throws if the X server cannot be reached, or refuses the cookie. */
export async function probeDisplay(desktop: OpenDisplayOptions): Promise<void> {
  const { stream, authorization } = await openDisplay(desktop);
  const refused = (reason: string) => {
    const file = desktop.authority ?? "~/.Xauthority";
    const hint = authorization === null ? `. There is no cookie for it in ${file}; XAUTHORITY can name another file` : "";
    return new CommandFailure(EXIT.failed, `the X server of display ${desktop.display} refuses the connection: ${reason}${hint}`);
  };
  const answer = new Promise<string | null>((resolve) => {
    stream.once("close", () => resolve("it closed the connection"));
    onAnswer(stream, resolve);
    stream.once("end", () => stream.destroy());
    stream.write(setupPacket({ isBigEndian: false, major: 11, minor: 0, authorization }));
  });
  const late = () => refused(`it did not answer within ${ANSWER_TIMEOUT_MS / 1_000} s`);
  const refusal = await withTimeout(answer, ANSWER_TIMEOUT_MS, late).finally(() => stream.destroy());
  if (refusal !== null) throw refused(refusal);
}

/** Calls `tell` once the X server has answered the setup packet: with null if it accepts the client, else with its reason. */
export function onAnswer(server: Duplex, tell: (refusal: string | null) => void): void {
  let bytes = Buffer.alloc(0);
  const read = (chunk: Buffer) => {
    bytes = Buffer.concat([bytes, chunk]);
    const [status, length = 0] = bytes;
    if (status === REFUSED && bytes.length < HEAD_BYTES + length) return;
    server.off("data", read);
    const reason = bytes
      .subarray(HEAD_BYTES, HEAD_BYTES + length)
      .toString("latin1")
      .trim();
    if (status === ACCEPTED) tell(null);
    else tell(status === REFUSED ? reason : "it requires another method of authentication than a cookie");
  };
  server.on("data", read);
}
