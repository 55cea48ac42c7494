import { visible } from "../../../../base/text/visible-text.ts";
import { withManager } from "../../../../cli/manager/connection.ts";
import { find } from "../../../../cli/manager/select.ts";
import { jsonText, paint, printJson } from "../../../../cli/output/table.ts";
import type { Service } from "../../wire/service.ts";
import { interfaceOf, SERVICE } from "./interface.ts";
import type { ServiceFlags } from "./list.ts";

/** `mgr service info NAME`: shows the provider and the endpoints of a service. */
export async function serviceInfo(name: string, flags: ServiceFlags): Promise<void> {
  await withManager(flags, async (client) => {
    const service = find((await client.request({ type: "request_services" })).services, name, SERVICE);
    if (flags.json) printJson({ ...service, interface: interfaceOf(service) });
    else process.stdout.write(`${infoText(service)}\n`);
  });
}

export function infoText(service: Service): string {
  const { name, endpoints } = interfaceOf(service);
  const line = (title: string, text: string) => `${paint("bold", title.padEnd(12))} ${visible(text)}`;
  const schema = (title: string, value: unknown) => (value === undefined ? [] : [`  ${title}: ${jsonText(value, { oneLine: true })}`]);
  return [
    line("service", service.name),
    line("interface", name || "-"),
    line("provider", `${service.provider || "-"} on ${service.provider_host}`),
    ...endpoints.flatMap((endpoint) => [
      line("endpoint", `${endpoint.name}${endpoint.description === "" ? "" : `: ${endpoint.description}`}`),
      ...schema("request", endpoint.request),
      ...schema("response", endpoint.response),
    ]),
  ].join("\n");
}
