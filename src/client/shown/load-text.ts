const MIB = 1024 ** 2;
const GIB = 1024 ** 3;

/** Memory as text, such as "48.2 MiB". */
export function memoryText(bytes: number): string {
  if (bytes < MIB) return `${Math.round(bytes / 1024)} KiB`;
  return bytes < GIB ? `${(bytes / MIB).toFixed(1)} MiB` : `${(bytes / GIB).toFixed(2)} GiB`;
}

/** Percent of one CPU as text, without the unit. */
export function cpuText(percent: number): string {
  return percent.toFixed(1);
}
