import { z } from "zod";

export const client = z
  .object({
    id: z.int().describe("Never reused; equals the provider_id of its parameters."),
    name: z.string(),
    pid: z.int(),
    host: z.string().describe("Canonical name, or the IP of a machine that is not a managed host."),
    address: z.string().describe("`<ip>:<port>` of the client's own connection."),
    library_version: z.int(),
    svn_revision: z.int(),
    modified: z.boolean(),
    svc_debug: z.boolean(),
    process_name: z.string().describe("The managed process that it belongs to, or empty."),
    published_topics: z.array(z.string()),
    subscribed_topics: z.array(z.string()),
    provided_services: z.array(z.string()),
  })
  .meta({ id: "Client", description: "A program on the bus. Unknown integers are 0, strings empty, booleans false." });
export type Client = z.infer<typeof client>;
