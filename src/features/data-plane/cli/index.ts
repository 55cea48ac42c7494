import type { CliFeature } from "../../../cli/command/feature.ts";
import { SCOPE_GROUP } from "./oscilloscope/program.ts";
import { PARAM_GROUP } from "./param/program.ts";
import { SERVICE_GROUP } from "./service/program.ts";
import { TOPIC_GROUP } from "./topic/program.ts";

/** Connections of commands to the bus of this machine; loaded by the commands that need them. */
export const busConnections = () => import("./topic/bus.ts");

export const dataPlaneCli: CliFeature = { groups: [TOPIC_GROUP, SERVICE_GROUP, PARAM_GROUP, SCOPE_GROUP] };
