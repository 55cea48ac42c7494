import { pipeline } from "node:stream/promises";
import { visible } from "../../../base/text/visible-text.ts";
import { withManager } from "../../../cli/manager/connection.ts";
import { type ConnectionFlags, findTarget } from "../../../cli/manager/connection-target.ts";
import { fileNameOf, httpGet, saveResponse } from "../../../cli/manager/http-get.ts";
import { outputOf } from "../../../cli/manager/output-path.ts";
import { selectProcesses } from "../../../cli/manager/select.ts";

export interface SaveOutputFlags extends ConnectionFlags {
  run?: number;
  raw?: boolean;
  output?: string;
}

/** `mgr save-output NAME [FILE]`: the output of a process or group; `-` is stdout. */
export async function saveOutput(name: string, file: string | undefined, flags: SaveOutputFlags): Promise<void> {
  const target = outputOf(file, flags.output);
  const kind = await kindOf(name, flags);
  const query = new URLSearchParams({
    [kind]: name,
    ...(flags.raw ? { format: "raw" } : {}),
    ...(flags.run === undefined ? {} : { run: String(flags.run) }),
  });
  const response = await httpGet(await findTarget(flags), `/mgr/output?${query}`);
  if (target === "-") return pipeline(response, process.stdout);
  const path = target ?? fileNameOf(response, "output.txt");
  process.stdout.write(`${savedText(path, await saveResponse(response, path))}\n`);
}

/** Whether the name is that of a process or of a group. Fails with a suggestion if it is neither. */
async function kindOf(name: string, flags: ConnectionFlags): Promise<"name" | "group"> {
  let isProcess = false;
  await withManager(flags, async (client) => {
    const { processes } = await client.snapshot();
    isProcess = selectProcesses(processes, [name]).some((each) => each.name === name);
  });
  return isProcess ? "name" : "group";
}

export const savedText = (path: string, bytes: number): string => visible(`${path}: ${bytes} bytes`);
