import type { CommandGroup } from "../../../../cli/command/feature.ts";
import { connecting, seconds } from "../../../../cli/command/option-values.ts";
import { SERVICE_PAGES } from "./manual.ts";

/** Commands of `mgr service`. */
export const SERVICE_GROUP: CommandGroup = {
  pages: SERVICE_PAGES,
  add: (program) => {
    const service = program.command("service").description("list and call services of the bus");
    connecting(service.command("list [names...]"))
      .description("list services with interface and provider")
      .option("--json", "as JSON")
      .action(async (names, flags) => (await import("./list.ts")).serviceList(names, flags));

    connecting(service.command("info <name>"))
      .description("show the endpoints of a service, with their schemas")
      .option("--json", "as JSON")
      .action(async (name, flags) => (await import("./info.ts")).serviceInfo(name, flags));

    connecting(service.command("call <name> [request]"))
      .description("send a JSON request to a service and print the response")
      .option("--endpoint <name>", "default: 'call', or the only endpoint")
      .option("--timeout <seconds>", "how long to wait for the response", seconds, 10)
      .option("--json", "the response in one line")
      .action(async (name, request, flags) => (await import("./call.ts")).serviceCall(name, request ?? "{}", flags));
  },
};
