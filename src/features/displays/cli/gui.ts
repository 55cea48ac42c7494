import type { Duplex } from "node:stream";
import { messageOf } from "../../../base/errors.ts";
import { visible } from "../../../base/text/visible-text.ts";
import { END_SIGNALS, untilInterrupted } from "../../../cli/command/interrupt.ts";
import { reached, retried } from "../../../cli/manager/connection.ts";
import { type ConnectionFlags, type ConnectionTarget, connectOptions, findTarget } from "../../../cli/manager/connection-target.ts";
import { type GuiOptions, registerGui, type XClientOf } from "../client/register-gui.ts";
import { type OpenDisplayOptions, openDisplay } from "../host/open-display.ts";
import { tunnelX11 } from "../host/tunnel.ts";
import { desktopOf, onAnswer, probeDisplay } from "./desktop.ts";

export interface GuiFlags extends ConnectionFlags {
  display?: string;
}

/** `mgr gui`: shows windows of processes on the X display of this desktop, until Ctrl-C. */
export async function gui(flags: GuiFlags): Promise<void> {
  const desktop = desktopOf(flags.display);
  await probeDisplay(desktop);
  await untilInterrupted(async (interrupted) => {
    const register = (target: ConnectionTarget) => registerGui(target.url, connectOptions(target), handlers(desktop), interrupted);
    const target = await findTarget(flags);
    let registered = await reached(target, () => register(target));
    for (;;) {
      const reason = await registered.ended;
      if (interrupted.aborted) return;
      say(`the connection to the manager was lost, and with it the windows on this display (${visible(reason)}); reconnecting`);
      registered = await retried(flags, interrupted, register);
    }
  }, END_SIGNALS);
}

function handlers(desktop: OpenDisplayOptions): GuiOptions {
  return {
    display: desktop.display,
    onState({ username, is_current, current_peer }) {
      if (is_current)
        say(`processes with 'forward_x11_to_gui' that '${visible(username)}' starts show on display ${desktop.display} (Ctrl-C ends it)`);
      else say(`new windows show on the desktop at ${visible(current_peer ?? "the manager's machine")}, which was connected later`);
    },
    onXClient: (client, stream) => void serve(desktop, nameOf(client), stream),
    onProblem: (client, reason) => say(`${nameOf(client)} could not be connected: ${visible(reason)}`),
  };
}

/** Passes the bytes of an X client to the X server and back, with the cookie of the display in its setup packet. */
async function serve(desktop: OpenDisplayOptions, name: string, stream: Duplex): Promise<void> {
  say(`${name} has connected to the display`);
  let refusal: string | null = null;
  try {
    await tunnelX11(stream, async () => {
      const server = await openDisplay(desktop);
      onAnswer(server.stream, (reason) => {
        refusal = reason;
      });
      return server;
    });
    if (!stream.closed) await new Promise<void>((resolve) => stream.once("close", resolve));
  } catch (error) {
    refusal = messageOf(error);
  }
  say(refusal === null ? `${name} has disconnected` : `${name} cannot be shown: ${visible(refusal)}`);
}

function nameOf({ process, host }: XClientOf): string {
  return `process '${visible(process)}' of host '${visible(host)}'`;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
