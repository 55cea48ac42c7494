import { z } from "zod";
import { objectName } from "../../protocol/frames/field-kinds.ts";
import { answer, clientFrames, managerFrames } from "../../protocol/frames/frame-table.ts";

const port = z
  .object({
    protocol: z.enum(["tcp", "udp"]),
    address: z.string().describe("The address that it is bound to; `0.0.0.0` and `::` are all of the machine."),
    port: z.int(),
    pid: z.int().describe("The process of the tree that holds the socket; of several, one of them."),
    own_network: z.boolean().describe("It is in a network namespace of its own: the address of the machine does not lead to it."),
  })
  .meta({ id: "ListeningPort", description: "A port on which a process accepts TCP connections, or receives UDP datagrams of any peer." });
export type ListeningPort = z.infer<typeof port>;

const processPorts = z
  .object({
    name: z.string(),
    host: z.string(),
    ports: z.array(port).describe("TCP before UDP, in the order of their numbers."),
    complete: z
      .boolean()
      .describe("False: there may be others. A process of another user could not be examined, or there are more than 256."),
  })
  .meta({ id: "ProcessPorts", description: "The ports of a process that runs, with everything that it has started." });
export type ProcessPorts = z.infer<typeof processPorts>;

export const portCommands = clientFrames("Network", {
  request_ports: {
    fields: { name: objectName.describe("Name of a process or group. Without it: all processes in view.").exactOptional() },
    answer: "ports",
    scope: "output",
    role: "viewer",
    readOnly: true,
    meaning: "The ports on which processes listen, as of now. On a focused connection, of those in view.",
  },
});

export const portFrames = managerFrames("Network", {
  ports: answer(
    {
      processes: z.array(processPorts).describe("Those that run, with or without ports."),
      away: z.array(z.string()).describe("Hosts that could not be asked."),
    },
    "The ports of processes.",
  ),
});
