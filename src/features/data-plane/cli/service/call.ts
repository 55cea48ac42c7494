import { parseJson } from "../../../../base/json.ts";
import { didYouMean } from "../../../../base/text/suggest.ts";
import { CommandFailure, EXIT } from "../../../../cli/command/exit-codes.ts";
import { withManager } from "../../../../cli/manager/connection.ts";
import { find } from "../../../../cli/manager/select.ts";
import { printJson } from "../../../../cli/output/table.ts";
import type { Service } from "../../wire/service.ts";
import { interfaceOf, SERVICE } from "./interface.ts";
import type { ServiceFlags } from "./list.ts";

export interface CallFlags extends ServiceFlags {
  endpoint?: string;
  /** Time-out in seconds. */
  timeout: number;
}

/** `mgr service call NAME [REQUEST]`: sends a JSON request and prints the response. */
export async function serviceCall(name: string, text: string, flags: CallFlags): Promise<void> {
  const request = parseJson(text);
  if (request === undefined) throw new CommandFailure(EXIT.usage, `the request is not JSON; example: '{"position": [1, 2]}'`);
  await withManager(flags, async (client) => {
    const service = find((await client.request({ type: "request_services" })).services, name, SERVICE);
    const endpoint = endpointOf(service, flags.endpoint);
    const { response } = await client.request(
      { type: "call_service", name, endpoint, request: request as never },
      { timeout: flags.timeout * 1_000 },
    );
    printJson(response, { oneLine: flags.json ?? false });
  });
}

/** The requested endpoint; else the only one, or `call`. */
export function endpointOf(service: Pick<Service, "name" | "interface">, wanted: string | undefined): string {
  const names = interfaceOf(service).endpoints.map(({ name }) => name);
  if (wanted !== undefined) {
    // A provider that does not publish its endpoints may have it.
    if (names.length === 0 || names.includes(wanted)) return wanted;
    const hint = didYouMean(wanted, names) || `; it has: ${names.join(", ")}`;
    throw new CommandFailure(EXIT.notFound, `'${service.name}' has no endpoint '${wanted}'${hint}`);
  }
  if (names.length === 0 || names.includes("call")) return "call";
  if (names.length === 1 && names[0] !== undefined) return names[0];
  throw new CommandFailure(EXIT.usage, `choose an endpoint of '${service.name}' with --endpoint: ${names.join(", ")}`);
}
