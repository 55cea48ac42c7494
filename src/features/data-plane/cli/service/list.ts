import { withManager } from "../../../../cli/manager/connection.ts";
import type { ConnectionFlags } from "../../../../cli/manager/connection-target.ts";
import { select } from "../../../../cli/manager/select.ts";
import { printJson, table } from "../../../../cli/output/table.ts";
import type { Service } from "../../wire/service.ts";
import { interfaceOf, SERVICE } from "./interface.ts";

export interface ServiceFlags extends ConnectionFlags {
  json?: boolean;
}

/** `mgr service list [NAME…]`: lists services. */
export async function serviceList(names: string[], flags: ServiceFlags): Promise<void> {
  await withManager(flags, async (client) => {
    const { services } = await client.request({ type: "request_services" });
    const chosen = names.length === 0 ? services : select(services, names, SERVICE);
    if (flags.json) printJson(chosen);
    else process.stdout.write(`${listing(chosen)}\n`);
  });
}

export function listing(services: Service[]): string {
  return table<Service>(
    [
      { title: "SERVICE", text: ({ name }) => name },
      { title: "INTERFACE", text: (row) => interfaceOf(row).name || "-" },
      {
        title: "ENDPOINTS",
        text: (row) =>
          interfaceOf(row)
            .endpoints.map(({ name }) => name)
            .join(" ") || "-",
      },
      { title: "PROVIDER", text: ({ provider }) => provider || "-" },
      { title: "HOST", text: ({ provider_host }) => provider_host },
    ],
    services,
  );
}
