import { z } from "zod";
import { session } from "../../contract/fields.ts";

const path = z.string().startsWith("/").max(4_096);

export const UPGRADE_REQUESTS = {
  /**
   * Replaces the program of the daemon, which keeps its processes, terminals and output. `program`: path of a daemon's program; null: what is
   * installed where the daemon was started. `node`: path of Node; null: the one that runs the daemon. Answers with the version of the new
   * program (null: not known) once that has said that it can take over; the link is then lost for a moment. `conflict`: it cannot, and nothing
   * changes. `forbidden`: this host is part of another program.
   */
  replace_program: {
    request: z.object({ session, program: path.nullable(), node: path.nullable() }),
    response: z.object({ version: z.string().max(64).nullable() }),
  },
} as const;
