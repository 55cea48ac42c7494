import type { AddressInfo, Server, Socket } from "node:net";
import { MgrError, messageOf } from "../../../base/errors.ts";
import { visible } from "../../../base/text/visible-text.ts";
import { joinStreams } from "../../../bus/streams/join-streams.ts";
import { CommandFailure, EXIT } from "../../../cli/command/exit-codes.ts";
import { END_SIGNALS, untilInterrupted } from "../../../cli/command/interrupt.ts";
import { reached, retried } from "../../../cli/manager/connection.ts";
import { type ConnectionFlags, type ConnectionTarget, connectOptions, findTarget } from "../../../cli/manager/connection-target.ts";
import { type OpenedForward, openForward } from "../client/open-forward.ts";
import { type ForwardTarget, parseForwardTarget } from "./forward-target.ts";
import { listenLocally } from "./local-listener.ts";

/** `mgr forward`: passes connections of this machine to a port of a host, until Ctrl-C. */
export async function forward(text: string, flags: ConnectionFlags): Promise<void> {
  const wanted = parseForwardTarget(text);
  await untilInterrupted(async (interrupted) => {
    const open = (target: ConnectionTarget) => openForward(target.url, connectOptions(target), wanted, interrupted);
    let opened: OpenedForward | null = null;
    const sockets = new Set<Socket>();
    const server = await listenLocally(wanted.localPort, (socket) => {
      sockets.add(socket);
      socket.once("close", () => sockets.delete(socket));
      void serve(socket, opened);
    });
    server.on("error", (error) => say(`a connection could not be accepted: ${messageOf(error)}`));
    try {
      const target = await findTarget(flags);
      opened = await reached(target, () => open(target).catch(unknownHost));
      say(openedText(server, wanted, opened));
      for (;;) {
        const { reason, isWanted } = await opened.ended;
        if (interrupted.aborted) return;
        if (isWanted) throw new CommandFailure(EXIT.failed, `the forward has ended: ${visible(reason)}`);
        opened = null;
        say(`the connection to the manager was lost, and with it the connections of the forward (${visible(reason)}); reconnecting`);
        opened = await retried(flags, interrupted, open);
        say(openedText(server, wanted, opened));
      }
    } finally {
      server.close();
      for (const socket of sockets) socket.destroy();
    }
  }, END_SIGNALS);
}

/** The manager answers 404 for a host that it does not know: that is no problem of the connection to the manager. */
function unknownHost(error: unknown): never {
  if (!(error instanceof MgrError && error.code === "not_found")) throw error;
  throw new CommandFailure(EXIT.notFound, `${visible(error.message.replace(/^404: |\.$/g, ""))}; 'mgr hosts' lists all`);
}

/** Passes a connection on, and says why it could not be made or was cut. */
async function serve(socket: Socket, forward: OpenedForward | null): Promise<void> {
  try {
    if (forward === null) throw new Error("the manager cannot be reached at the moment");
    const channel = await forward.connect();
    channel.on("error", (error) => say(`a connection was cut: ${visible(messageOf(error))}`));
    if (socket.destroyed) channel.destroy();
    else joinStreams(socket, channel);
  } catch (error) {
    say(`a connection was refused: ${visible(messageOf(error))}`);
    socket.destroy();
  }
}

function openedText(server: Server, { port }: ForwardTarget, { host }: OpenedForward): string {
  const { address, port: local } = server.address() as AddressInfo;
  return `${address}:${local} leads to port ${port} of host '${visible(host)}' (Ctrl-C ends it)`;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
