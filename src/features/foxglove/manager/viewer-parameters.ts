import { MgrError } from "../../../base/errors.ts";
import type { Clock } from "../../../base/timing/clock.ts";
import type { Requester } from "../../../client/requests.ts";
import { type ParameterType, parseParameter } from "../../data-plane/manager/index.ts";
import { fullName } from "../../data-plane/parameter-name.ts";
import type { Parameter } from "../../data-plane/wire/parameter.ts";
import type { ClientMessage } from "./client-message.ts";

/** Polling interval of providers while a viewer subscribes to parameters, ms. */
const UPDATE_MS = 1_000;

type Requests = Pick<Requester, "request">;
type Setting = Extract<ClientMessage, { op: "setParameters" }>["parameters"][number];
interface ShownParameter {
  readonly name: string;
  readonly value: number | boolean | string;
  readonly type?: string;
}

interface ViewerParametersOptions {
  /** Requests with the permissions of the viewer. */
  readonly client: Requests;
  readonly clock: Clock;
  readonly send: (message: object) => void;
}

/** The parameters of all programs for one viewer, named `<service>:<name>`. */
export class ViewerParameters {
  readonly #options: ViewerParametersOptions;
  /** Values that were sent last of the parameters that the viewer subscribes to; null: none yet. */
  readonly #followed = new Map<string, string | null>();
  #timer: unknown = null;
  #isClosed = false;

  constructor(options: ViewerParametersOptions) {
    this.#options = options;
  }

  /** Sends the parameters of these names; of no name: all. */
  async get(names: readonly string[], id?: string): Promise<void> {
    this.#options.send(valuesMessage((await this.#shown()).filter(among(names)), id));
  }

  /** Sets overrides; a setting without a value turns the override off. Rejects with the first refusal. */
  async set(settings: readonly Setting[], id?: string): Promise<void> {
    const known = await this.#list();
    for (const { name, value } of settings) {
      const parameter = known.find((each) => fullName(each) === name);
      if (parameter === undefined) throw new MgrError("not_found", `there is no parameter '${name}'`);
      const { service, provider_id, override_value } = parameter;
      const isOff = value === undefined || value === null;
      const change = isOff ? { enabled: false, value: override_value } : { enabled: true, value: String(value) };
      await this.#options.client.request({ type: "set_parameter_override", service, provider_id, parameter: parameter.name, ...change });
    }
    if (id !== undefined && settings.length > 0)
      await this.get(
        settings.map(({ name }) => name),
        id,
      );
  }

  follow(names: readonly string[]): void {
    for (const name of names) if (!this.#followed.has(name)) this.#followed.set(name, null);
    if (this.#timer === null && this.#followed.size > 0) this.#schedule();
  }

  /** Ends subscriptions; of no name: all. */
  unfollow(names: readonly string[]): void {
    if (names.length === 0) this.#followed.clear();
    for (const name of names) this.#followed.delete(name);
  }

  get followed(): number {
    return this.#followed.size;
  }

  close(): void {
    this.#isClosed = true;
    this.#options.clock.clearTimeout(this.#timer);
  }

  #schedule(): void {
    this.#timer = this.#options.clock.setTimeout(() => {
      // Providers that do not answer are left out of the list; a closed connection needs no update.
      this.#update().then(
        () => this.#next(),
        () => this.#next(),
      );
    }, UPDATE_MS);
  }

  #next(): void {
    this.#timer = null;
    if (!this.#isClosed && this.#followed.size > 0) this.#schedule();
  }

  async #update(): Promise<void> {
    const changed = (await this.#shown()).filter((shown) => {
      const [before, now] = [this.#followed.get(shown.name), JSON.stringify(shown.value)];
      if (before === undefined || before === now) return false;
      this.#followed.set(shown.name, now);
      return true;
    });
    if (changed.length > 0 && !this.#isClosed) this.#options.send(valuesMessage(changed));
  }

  async #list(): Promise<Parameter[]> {
    return (await this.#options.client.request({ type: "request_parameters", pattern: "*" })).parameters;
  }

  async #shown(): Promise<ShownParameter[]> {
    return (await this.#list()).map(shownParameter);
  }
}

const among =
  (names: readonly string[]) =>
  ({ name }: ShownParameter): boolean =>
    names.length === 0 || names.includes(name);

const valuesMessage = (parameters: readonly ShownParameter[], id?: string) => ({
  op: "parameterValues",
  parameters,
  ...(id === undefined ? {} : { id }),
});

const TYPES: readonly string[] = ["float", "int", "bool"] satisfies ParameterType[];

/** A value that is not of the type that its provider names is shown as text. */
function shownParameter(parameter: Parameter): ShownParameter {
  const { type, output } = parameter;
  const value = TYPES.includes(type) ? parseParameter(type as ParameterType, output) : null;
  const name = fullName(parameter);
  if (value === null) return { name, value: output };
  return type === "float" ? { name, value, type: "float64" } : { name, value };
}
