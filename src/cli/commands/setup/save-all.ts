import { pipeline } from "node:stream/promises";
import { visible } from "../../../base/text/visible-text.ts";
import { type ConnectionFlags, findTarget } from "../../manager/connection-target.ts";
import { fileNameOf, httpGet, saveResponse } from "../../manager/http-get.ts";

/** `mgr save-all [FILE]`: saves the archive of `/save-all`; `-` is stdout. */
export async function saveAll(target: string | undefined, flags: ConnectionFlags): Promise<void> {
  const response = await httpGet(await findTarget(flags), "/save-all");
  if (target === "-") return pipeline(response, process.stdout);
  const path = target ?? fileNameOf(response, "mgr-save-all.tar.bz2");
  console.log(`${visible(path)}: ${await saveResponse(response, path)} bytes`);
}
