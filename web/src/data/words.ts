/** Rate for a reader: "1,000 Hz", "9.5 Hz", "0.2 Hz". */
export function rateText(rate: number): string {
  if (rate === 0) return "0 Hz";
  return `${rate >= 100 ? Math.round(rate).toLocaleString("en-US") : rate.toFixed(rate < 10 ? 1 : 0)} Hz`;
}

const UNITS = ["B", "kB", "MB", "GB", "TB"];

/** Bytes for a reader, in powers of 1,000 as the field's tools show them: "128 B", "1.5 kB". */
export function bytesText(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < UNITS.length - 1) {
    value /= 1_000;
    unit++;
  }
  return `${unit === 0 || value >= 99.5 ? Math.round(value) : value.toFixed(1)} ${UNITS[unit]}`;
}

/** A value of a topic or a service for a reader: JSON of which long arrays of numbers stay on one line. */
export function valueText(value: unknown, indent = ""): string {
  if (Array.isArray(value)) {
    if (value.every((item) => item === null || typeof item !== "object"))
      return `[${value.map((item) => JSON.stringify(item)).join(", ")}]`;
    return `[\n${value.map((item) => `${indent}  ${valueText(item, `${indent}  `)}`).join(",\n")}\n${indent}]`;
  }
  if (value !== null && typeof value === "object") {
    const entries = Object.entries(value);
    if (entries.length === 0) return "{}";
    return `{\n${entries.map(([key, item]) => `${indent}  ${key}: ${valueText(item, `${indent}  `)}`).join("\n")}\n${indent}}`;
  }
  return JSON.stringify(value) ?? "";
}
