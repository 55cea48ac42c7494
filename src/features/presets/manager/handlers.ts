import { aboutNamed, type HandlerContext, type HandlerTable } from "../../../transport/handlers/handler.ts";
import type { presetCommands } from "../wire.ts";
import type { Presets, Sight } from "./presets.ts";

const aboutPreset = aboutNamed("preset");

/** The grants of a connection that does not show everything. */
const sightOf = ({ view }: Pick<HandlerContext, "view">): Sight => (view.kind === "granted" ? view.grants : null);

export function presetHandlers(presets: Presets): HandlerTable<keyof typeof presetCommands> {
  return {
    request_presets: {
      kind: "request",
      answer: async (_frame, context) => [{ type: "presets_snapshot", ...(await presets.list(sightOf(context))) }],
    },
    request_preset: {
      kind: "request",
      about: aboutPreset,
      answer: async ({ name }, context) => [{ type: "preset_detail", ok: true, name, ...(await presets.show(name, sightOf(context))) }],
    },
    compare_preset: {
      kind: "request",
      about: aboutPreset,
      answer: async ({ name, with: other = null }, context) => [
        { type: "preset_comparison", ok: true, name, ...(await presets.compare(name, other, sightOf(context))) },
      ],
    },
    save_preset: {
      kind: "request",
      about: aboutPreset,
      answer: async ({ type: _type, request_id: _id, ...request }, { principal }) => [
        { type: "preset_save_result", ok: true, name: request.name, ...(await presets.save(request, principal.user)) },
      ],
    },
    load_preset: {
      kind: "request",
      about: aboutPreset,
      owners: ({ name }) => presets.ownersOf(name),
      answer: async ({ type: _type, request_id: _id, ...request }, { principal }) => [
        { type: "preset_load_result", ok: true, name: request.name, ...(await presets.load(request, principal)) },
      ],
    },
    delete_preset: {
      kind: "command",
      about: aboutPreset,
      run: ({ name }, { principal }) => presets.remove(name, principal.user),
    },
  };
}
