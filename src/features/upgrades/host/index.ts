import { MgrError } from "../../../base/errors.ts";
import type { HostFeature } from "../../../daemon/host-feature.ts";
import type { UPGRADE_REQUESTS } from "../contract.ts";

/** Replaces the program of the daemon when a manager requests it. */
export const upgradesHost: HostFeature<keyof typeof UPGRADE_REQUESTS> = {
  begin: ({ replaceProgram }) => ({
    service: null,
    handlers: {
      replace_program: async ({ program, node }) => {
        if (replaceProgram === null) throw new MgrError("forbidden", "this host is part of another program, which has to be started again");
        return { version: await replaceProgram({ program, node }) };
      },
    },
  }),
};
