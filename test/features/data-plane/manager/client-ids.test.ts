import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { StateFiles } from "../../../../src/app/state/state-files.ts";
import { ClientIds } from "../../../../src/features/data-plane/manager/client-ids.ts";

const fail = (msg: string) => expect.fail(msg);

it("a later manager reuses no id, however the previous one ended and however many it used", async () => {
  const folder = await mkdtemp(join(tmpdir(), "mgr-ids-"));
  try {
    let highest = 0;
    for (const count of [1, 3, 25_000]) {
      const files = new StateFiles(folder);
      const ids = await ClientIds.open(files, fail);
      for (let used = 0; used < count; used++) {
        const id = ids.next();
        expect(id).toBeGreaterThan(highest);
        highest = id;
      }
      // Killed here, once what it had begun to write is written.
      await files.rewrite("missing");
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
