import { visible } from "../../../base/text/visible-text.ts";
import { CommandFailure, EXIT } from "../../../cli/command/exit-codes.ts";
import { withManager } from "../../../cli/manager/connection.ts";
import type { ConnectionFlags } from "../../../cli/manager/connection-target.ts";
import { clockTime } from "../../../cli/output/process-text.ts";
import { printJson, table } from "../../../cli/output/table.ts";
import { bytesText } from "../../../client/shown/units.ts";
import { forwardState } from "../forward-state.ts";
import type { Forward } from "../wire.ts";

export interface ForwardsFlags extends ConnectionFlags {
  close?: string;
  json?: boolean;
}

/** `mgr forwards`: lists open forwards, or closes one. */
export async function forwards(flags: ForwardsFlags): Promise<void> {
  await withManager(flags, async (client) => {
    const { forwards: open } = await client.request({ type: "request_forwards" });
    const { close } = flags;
    if (close !== undefined) {
      if (!open.some(({ id }) => id === close))
        throw new CommandFailure(EXIT.notFound, `there is no forward with the id '${visible(close)}' (mgr forwards)`);
      await client.request({ type: "close_forward", id: close });
      process.stdout.write(`${visible(close)}: closed\n`);
      return;
    }
    if (flags.json) printJson(open);
    else process.stdout.write(`${forwardsText(open)}\n`);
  });
}

/** A table with a row for each forward, or that there are none. */
export function forwardsText(open: readonly Forward[], width = process.stdout.columns || Number.POSITIVE_INFINITY): string {
  if (open.length === 0) return "no forward is open";
  return table<Forward>(
    [
      { title: "ID", text: ({ id }) => id },
      { title: "TARGET", text: ({ host, port }) => `${host}:${port}` },
      { title: "USER", text: ({ user }) => user },
      { title: "FROM", text: ({ address }) => address ?? "this machine" },
      { title: "SINCE", text: ({ opened }) => clockTime(opened) },
      { title: "CONNECTIONS", text: ({ connections, total_connections }) => `${connections} of ${total_connections}`, right: true },
      { title: "RECEIVED", text: ({ received }) => bytesText(received), right: true },
      { title: "SENT", text: ({ sent }) => bytesText(sent), right: true },
      { title: "STATE", text: (forward) => forwardState(forward) },
    ],
    [...open],
    width,
  );
}
