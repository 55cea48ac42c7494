import type { CliFeature } from "../../../cli/command/feature.ts";
import { TOKEN_GROUP } from "./program.ts";

export const accessTokensCli: CliFeature = { groups: [TOKEN_GROUP] };
