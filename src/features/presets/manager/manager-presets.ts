import type { ManagerCore } from "../../../app/feature.ts";
import type { Owners } from "../../../base/access/access.ts";
import { MgrError } from "../../../base/errors.ts";
import { counted } from "../../../base/text/counted.ts";
import { listNames } from "../../../base/text/names.ts";
import { SerialQueue } from "../../../base/timing/serial-queue.ts";
import { formatTime } from "../../../protocol/time.ts";
import { isSeen, type ManagerDataPlane } from "../../data-plane/manager/index.ts";
import { fullName, parameterMatcher } from "../../data-plane/parameter-name.ts";
import type { Parameter } from "../../data-plane/wire/parameter.ts";
import { type PresetFile, PresetFolder, presetFolderOf } from "../files/preset-folder.ts";
import { inOrder, type PresetContent } from "../files/preset-text.ts";
import { MAX_PRESET_VALUES } from "../limits.ts";
import type { Preset, PresetValue } from "../wire.ts";
import { byKey, differencesBetween, differencesFromNow } from "./comparison.ts";
import { loadValues } from "./preset-loading.ts";
import type { LoadRequest, Presets, SaveRequest, Sight } from "./presets.ts";

type Options = Pick<ManagerCore, "clock" | "config" | "log"> & {
  readonly dataPlane: Pick<ManagerDataPlane, "parameters" | "setOverride" | "ownersOf">;
  /** The processes that provide a service now. */
  readonly providersOf: (service: string) => Owners;
};

/** Maximum number of changes of the folder that run and wait. */
const MAX_CHANGES = 100;
/** Maximum number of loads that run and wait. */
const MAX_LOADS = 20;

/** Keeps values of parameters in files, and sets them again. */
export class ManagerPresets implements Presets {
  readonly #options: Options;
  /** One change at a time: a file has one writer. */
  readonly #changes = new SerialQueue({ max: MAX_CHANGES, busy: "too many presets are being changed; try again" });
  /** One load at a time: it may have to set back what it has set. */
  readonly #loads = new SerialQueue({ max: MAX_LOADS, busy: "too many presets are being loaded; try again" });
  #lastFolder: PresetFolder | null = null;

  constructor(options: Options) {
    this.#options = options;
  }

  async list(grants: Sight) {
    const folder = this.#folder();
    const presets = (await folder.list()).flatMap((file) => {
      const preset = presetOf(file, file.content === null ? [] : this.#seen(file.content, grants));
      // Users with roles on some processes see the presets that are about these.
      return grants === null || preset.values > 0 ? [preset] : [];
    });
    return { folder: folder.path, presets };
  }

  async show(name: string, grants: Sight) {
    const { content, values } = this.#read(name, grants);
    return { preset: presetOf({ name, content, problem: null }, values), values: [...values] };
  }

  async compare(name: string, other: string | null, grants: Sight) {
    const { content, values } = this.#read(name, grants);
    if (other !== null) return { with: other, differences: differencesBetween(values, this.#read(other, grants).values) };
    const { parameters } = await this.#options.dataPlane.parameters("*", grants);
    const isIncluded = content.pattern === null ? () => false : parameterMatcher(content.pattern);
    return { with: null, differences: differencesFromNow(values, parameters, isIncluded) };
  }

  save(request: SaveRequest, by: string) {
    return this.#changes.run(() => this.#save(request, by));
  }

  load(request: LoadRequest, by: Parameters<Presets["load"]>[1]) {
    return this.#loads.run(() => this.#load(request, by));
  }

  async #load({ name, partial = false }: LoadRequest, by: Parameters<Presets["load"]>[1]) {
    const { dataPlane, log } = this.#options;
    const { values } = this.#folder().read(name);
    const result = await loadValues(values, { dataPlane, by, isPartial: partial });
    const failed = result.failures.length === 0 ? "" : `, ${result.failures.length} could not be set`;
    log.info(`'${by.user}' loaded preset '${name}': ${counted(result.changed, "override")} changed${failed}`);
    return result;
  }

  remove(name: string, by: string): Promise<void> {
    return this.#changes.run(async () => {
      await this.#folder().remove(name);
      this.#options.log.info(`'${by}' deleted preset '${name}'`);
    });
  }

  /** The values of a preset, for other features. Throws as `show` rejects. */
  valuesOf(name: string): readonly PresetValue[] {
    return this.#folder().read(name).values;
  }

  ownersOf(name: string): Owners {
    const owners = new Set<string>();
    let content: PresetContent;
    try {
      content = this.#folder().read(name);
    } catch {
      // The request itself says what is wrong, to those who may see it.
      return null;
    }
    for (const service of new Set(content.values.map((each) => each.service))) {
      const providers = this.#options.providersOf(service);
      if (providers === null) return null;
      for (const process of providers) owners.add(process);
    }
    return owners.size === 0 ? null : [...owners];
  }

  async #save({ name, description, pattern, parameters: names, all = false, replace = false }: SaveRequest, by: string) {
    const { clock, dataPlane, log } = this.#options;
    if (pattern !== undefined && names !== undefined)
      throw new MgrError("bad_field", "'parameters' of 'save_preset' cannot be sent together with 'pattern'");
    const folder = this.#folder();
    const exists = folder.has(name);
    if (exists && !replace) throw new MgrError("conflict", `there is a preset '${name}' already: replace it, or choose another name`);
    const { parameters, errors } = await dataPlane.parameters("*", null);
    const isWanted = names === undefined ? parameterMatcher(pattern ?? "*") : namedBy(names, parameters);
    const values = valuesOfAll(parameters.filter(isWanted), all);
    if (values.length === 0)
      throw new MgrError(
        "not_found",
        all ? "no parameter matches" : "no parameter that matches is overridden; 'all' saves their values, too",
      );
    if (values.length > MAX_PRESET_VALUES)
      throw new MgrError("too_large", `${values.length} parameters match; the maximum is ${MAX_PRESET_VALUES}`);
    const content: PresetContent = {
      description: description ?? contentOrNull(folder, name)?.description ?? "",
      pattern: names === undefined ? (pattern ?? "*") : null,
      saved_by: by,
      saved_at: formatTime(clock.now()),
      values: inOrder(values),
    };
    await folder.write(name, content);
    log.info(`'${by}' saved preset '${name}': ${counted(values.length, "value")}`);
    const unanswered = errors.map(({ provider, message }) => `'${provider}' did not list its parameters: ${message}`);
    return { preset: presetOf({ name, content, problem: null }, values), unanswered };
  }

  #folder(): PresetFolder {
    const path = presetFolderOf(this.#options.config());
    if (path === null)
      throw new MgrError("conflict", "this manager has no configuration file: set instance.presets_dir to the folder of the presets");
    if (this.#lastFolder?.path !== path) this.#lastFolder = new PresetFolder(path);
    return this.#lastFolder;
  }

  #read(name: string, grants: Sight): { content: PresetContent; values: readonly PresetValue[] } {
    const folder = this.#folder();
    if (grants === null) {
      const content = folder.read(name);
      return { content, values: content.values };
    }
    // Users with roles on some processes are not told what is wrong with a file, nor whether there is one that is not about these.
    const content = contentOrNull(folder, name);
    const values = content === null ? [] : this.#seen(content, grants);
    if (content === null || values.length === 0)
      throw new MgrError("not_found", `there is no preset '${name}'; 'mgr preset list' lists all`);
    return { content, values };
  }

  #seen({ values }: PresetContent, grants: Sight): readonly PresetValue[] {
    if (grants === null) return values;
    return values.filter(({ service }) => isSeen(grants, this.#options.providersOf(service)));
  }
}

function presetOf({ name, content, problem }: PresetFile, values: readonly PresetValue[]): Preset {
  const { description = "", pattern = null, saved_by = "", saved_at = null } = content ?? {};
  return { name, description, pattern, saved_by, saved_at, values: values.length, problem };
}

/** Selects parameters by their names. Throws `not_found` for names that no parameter has. */
function namedBy(names: readonly string[], parameters: readonly Parameter[]): (parameter: Parameter) => boolean {
  const known = new Set(parameters.flatMap((each) => [each.name, fullName(each)]));
  const unknown = names.filter((name) => !known.has(name));
  if (unknown.length > 0) throw new MgrError("not_found", `there are no parameters ${listNames(unknown)}`);
  const wanted = new Set(names);
  return (each) => wanted.has(each.name) || wanted.has(fullName(each));
}

/** One value for each parameter. If several programs have it, the first that is overridden counts. */
function valuesOfAll(parameters: readonly Parameter[], all: boolean): PresetValue[] {
  return [...byKey(parameters).values()].flatMap((found) => {
    const overridden = found.find((each) => each.override_enabled);
    const [chosen = all ? found[0] : undefined] = overridden === undefined ? [] : [overridden];
    if (chosen === undefined) return [];
    const value = chosen.override_enabled ? chosen.override_value : chosen.output;
    return [{ service: chosen.service, parameter: chosen.name, value }];
  });
}

/** The content of a file; null: there is none, or it cannot be used. */
function contentOrNull(folder: PresetFolder, name: string): PresetContent | null {
  try {
    return folder.read(name);
  } catch (error) {
    if (error instanceof MgrError) return null;
    throw error;
  }
}
