import { open } from "node:fs/promises";
import { McapWriter } from "@mcap/core";

/** A McapWriter of @mcap/core that writes a new file; `end` completes the file, and resolves when it is on the disk. */
export async function bareMcapFile(path: string): Promise<{ writer: McapWriter; end: () => Promise<void> }> {
  const file = await open(path, "wx");
  let position = 0;
  const write = async (bytes: Uint8Array) => {
    await file.write(bytes, 0, bytes.length, position);
    position += bytes.length;
  };
  const writer = new McapWriter({ writable: { write, position: () => BigInt(position) }, chunkSize: 512 * 1024 });
  await writer.start({ profile: "", library: "bench" });
  const end = async () => {
    await writer.end();
    await file.datasync();
    await file.close();
  };
  return { writer, end };
}
