import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import type { Browser } from "playwright-core";
import type { Fleet } from "../support/fleet.ts";
import { eventually } from "../support/wait.ts";

/** What the page of an incident shows. */
export interface ShownIncident {
  /** Its causes, hosts and what is missing. */
  readonly facts: string;
  /** The value of the plotted field at the cursor. */
  readonly value: number;
  /** The terminal at the cursor. */
  readonly terminal: string;
  /** The network figures beside their curves. */
  readonly network: string;
}

/** Opens an incident of a fleet in a browser, with a plot of a field (`topic:field`) and the terminal of a process. */
export async function shownIncident(
  browser: Pick<Browser, "newContext">,
  fleet: Fleet,
  { id, field, terminal }: { id: string; field: string; terminal: string },
): Promise<ShownIncident> {
  const server = createServer((socket) => {
    const to = connect(fleet.socket);
    socket.on("error", () => to.destroy()).pipe(to);
    to.on("error", () => socket.destroy()).pipe(socket);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const context = await browser.newContext({ extraHTTPHeaders: { authorization: fleet.basic } });
  try {
    const page = await context.newPage();
    page.setDefaultTimeout(60_000);
    const { port } = server.address() as AddressInfo;
    await page.goto(`http://127.0.0.1:${port}/?${new URLSearchParams({ incident: id, field, terminal })}`);
    await page.locator(".plot-box canvas").waitFor();
    // Until the whole file is read, it is the last value so far.
    const read = page.locator(".incident-plot [role=status]");
    await eventually("the file is read", async () => (await read.innerText()) === "");
    const value = await eventually("the plot has a value at the cursor", async () => {
      const text = await page.locator(".trace-value").innerText();
      return text === "" ? null : Number(text);
    });
    const rows = page.locator(".still-terminal .xterm-rows");
    await eventually("the terminal shows something", async () => (await rows.innerText()).trim() !== "");
    return {
      facts: await page.locator(".incident-facts").innerText(),
      value,
      terminal: await rows.innerText(),
      network: await page.getByRole("region", { name: "Network" }).innerText(),
    };
  } finally {
    await context.close();
    server.close();
  }
}
