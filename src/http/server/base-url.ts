/** The base address for a person or program on this machine. */
export function urlOf(scheme: "http" | "https", host: string, port: number): string {
  const isEverywhere = host === "" || host === "0.0.0.0" || host === "::";
  return `${scheme}://${isEverywhere ? "localhost" : host.includes(":") ? `[${host}]` : host}:${port}`;
}
