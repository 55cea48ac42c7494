import { pipeline } from "node:stream/promises";
import { visible } from "../../../base/visible-text.ts";
import { fileNameOf, httpGet, saveResponse } from "../../manager/http-get.ts";
import { type ConnectionFlags, findWay } from "../../manager/way.ts";

/** `mgr save-all [FILE]`: saves the archive of `/save-all`; `-` is stdout. */
export async function saveAll(target: string | undefined, flags: ConnectionFlags): Promise<void> {
  const response = await httpGet(await findWay(flags), "/save-all");
  if (target === "-") return pipeline(response, process.stdout);
  const path = target ?? fileNameOf(response, "mgr-save-all.tar.bz2");
  console.log(`${visible(path)}: ${await saveResponse(response, path)} bytes`);
}
