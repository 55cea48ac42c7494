import type { ManagerClient } from "../../client/manager-client.ts";

/** Runs `work` until it ends or Ctrl-C closes the client; `isOver` tells it of Ctrl-C. Closes the client in any case. */
export async function untilInterrupted(client: ManagerClient, work: (isOver: () => boolean) => Promise<void>): Promise<void> {
  let isOver = false;
  const end = () => {
    isOver = true;
    client.close();
  };
  process.once("SIGINT", end);
  try {
    await work(() => isOver);
  } catch (error) {
    if (!isOver) throw error;
  } finally {
    process.off("SIGINT", end);
    client.close();
  }
}
