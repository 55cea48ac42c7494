/** Files of a tar whose names have at most 100 bytes. */
export function untar(tar: Buffer): Map<string, Buffer> {
  const files = new Map<string, Buffer>();
  for (let at = 0; tar[at] !== 0; ) {
    const size = Number.parseInt(tar.toString("latin1", at + 124, at + 135), 8);
    files.set(tar.toString("utf8", at, tar.indexOf(0, at)), tar.subarray(at + 512, at + 512 + size));
    at += 512 + Math.ceil(size / 512) * 512;
  }
  return files;
}
