/** Lets the browser save the content of an address; without a name, under the name that the server gives it. */
export function downloadFrom(address: string, name = ""): void {
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
}

/** Lets the browser save a text as a file. */
export function downloadText(text: string, type: "text/plain" | "text/csv" | "application/json", name: string): void {
  downloadBlob(new Blob([text], { type }), name);
}

export function downloadBlob(blob: Blob, name: string): void {
  const address = URL.createObjectURL(blob);
  downloadFrom(address, name);
  // The browser has read the address by then.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
