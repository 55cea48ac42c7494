import { z } from "zod";
import { text, timestamp } from "../../protocol/frames/field-kinds.ts";
import { answer, clientFrames, managerFrames } from "../../protocol/frames/frame-table.ts";

const forward = z
  .object({
    id: z.string(),
    user: z.string().describe("The user who reaches the port."),
    address: z.string().nullable().describe("`<ip>:<port>` of the user; null over the local socket."),
    host: z.string().describe("Canonical name of the host."),
    port: z.int().describe("TCP port on the loopback interface of the host."),
    opened: timestamp,
    host_ready: z.boolean().describe("False: the daemon of the host is not connected, and new connections are refused."),
    connections: z.int().describe("Open connections."),
    total_connections: z.int().describe("Connections so far, with those that are open."),
    received: z.int().describe("Bytes that the program on the host has sent."),
    sent: z.int().describe("Bytes that were sent to the program on the host."),
    problem: z.string().nullable().describe("Why the last connection could not be made, or was cut; null: it was made."),
  })
  .meta({ id: "Forward", description: "A TCP port of a host that a `mgr forward` reaches, or that a user has opened from the page." });
export type Forward = z.infer<typeof forward>;

export const forwardCommands = clientFrames("Network", {
  request_forwards: {
    fields: {},
    answer: "forwards",
    scope: "global",
    role: "viewer",
    readOnly: true,
    meaning: "The forwards that are open, the oldest first.",
  },
  close_forward: {
    fields: { id: text(1, 64).describe("Id of the forward.") },
    answer: null,
    scope: "global",
    role: "operator",
    meaning: "Closes a forward with its connections. Operators close their own, admins all. Nothing happens if there is none with this id.",
  },
});

export const forwardFrames = managerFrames("Network", {
  forwards: answer({ forwards: z.array(forward) }, "Forwards of TCP ports."),
});
