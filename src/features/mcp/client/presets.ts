import { z } from "zod";
import { PRESET_NAME_RULE } from "../../presets/preset-name.ts";
import { type Tool, tool } from "./tool.ts";

const name = z.string().min(1).max(255).describe(`Name of a preset. It ${PRESET_NAME_RULE}.`);

/** Tools for values of parameters that are kept in files. */
export const PRESET_TOOLS: readonly Tool[] = [
  tool({
    name: "list_presets",
    title: "Presets of parameters",
    description: "Presets with their descriptions, numbers of values, who saved them and when, and why a file cannot be used.",
    input: z.object({}),
    run: async (client) => {
      const { folder, presets } = await client.request({ type: "request_presets" });
      return { folder, presets };
    },
  }),
  tool({
    name: "compare_preset",
    title: "What loading a preset would change",
    description: "Compares the values of a preset with the overrides now, or with another preset.",
    input: z.object({
      name,
      with: name.describe("Another preset. Default: the overrides now.").optional(),
      all: z.boolean().describe("Equal values, too.").default(false),
    }),
    run: async (client, { with: other, all, ...input }) => {
      const { differences } = await client.request({ type: "compare_preset", ...input, ...(other === undefined ? {} : { with: other }) });
      return { total: differences.length, differences: all ? differences : differences.filter(({ result }) => result !== "same") };
    },
  }),
  tool({
    name: "load_preset",
    title: "Load a preset",
    description:
      "Sets the overrides of a preset: all of its values, or none if one cannot be set. Other overrides stay. Compare it before.",
    input: z.object({
      name,
      partial: z.boolean().describe("Set the others if some values cannot be set, and say which.").default(false),
    }),
    changes: true,
    run: async (client, input) => {
      const { changed, unchanged, failures } = await client.request({ type: "load_preset", ...input });
      return { changed, unchanged, failures };
    },
  }),
];
