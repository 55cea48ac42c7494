import { RECORD_HEADER_BYTES, recordHeader } from "../sample-record.ts";
import type { FormatWriter } from "../samples.ts";
import { fileIndex, fileNames } from "./file-index.ts";
import { progress } from "./progress.ts";
import { SpoolFile } from "./spool-file.ts";
import { TAR_BLOCK_BYTES, tarHeader, tarPadding } from "./tar.ts";

/** A tar with `index.json` and, for each topic, the binary records of its samples (docs/recordings.md, "raw"). */
export const writeRaw: FormatWriter = async (logger, path, options = {}) => {
  await using file = await SpoolFile.create(path);
  const onSample = progress(logger, 1, options);
  const files = fileNames(logger, ".bin");
  const index = Buffer.from(fileIndex(logger, files, () => ({})));
  let at = 0;
  const put = async (data: Uint8Array) => {
    await file.write(at, data);
    at += data.length;
  };
  await put(Buffer.concat([tarHeader("index.json", index.length), index, tarPadding(index.length)]));
  for (const [number, source] of logger.topics.entries()) {
    const name = files[number] ?? "";
    const start = at;
    at += tarHeader(name, 0).length;
    const [section] = file.sections([at]);
    let size = 0;
    for await (const sample of source.samples()) {
      onSample();
      const length = sample.payload?.length ?? 0;
      section?.bytes(recordHeader(sample, length));
      if (sample.payload !== null) section?.bytes(sample.payload);
      size += RECORD_HEADER_BYTES + length;
      if (section?.isFull) await section.flush();
    }
    await section?.flush();
    at += size;
    await file.write(start, tarHeader(name, size));
    await put(tarPadding(size));
  }
  await put(new Uint8Array(2 * TAR_BLOCK_BYTES));
};
