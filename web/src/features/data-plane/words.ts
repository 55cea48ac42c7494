/** A value of a topic or a service as JSON for a reader; long arrays of numbers stay on one line. */
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
