import { z } from "zod";
import { answer, change, clientFrames, managerFrames } from "../../../protocol/frames/frame-table.ts";
import { client } from "../../../protocol/resources/client.ts";

export const clientCommands = clientFrames("Clients", {
  request_clients: { fields: {}, answer: "clients_snapshot", scope: "seen", role: "viewer", readOnly: true, meaning: "All clients." },
});

export const clientEvents = managerFrames("Clients", {
  clients_snapshot: answer({ clients: z.array(client) }, "All clients."),
  client_upsert: change({ client }, "A client connected or changed.", ({ client }) => `client:${client.id}`),
  client_remove: change({ id: z.int() }, "A client disconnected."),
});
