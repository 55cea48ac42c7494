import type { IconName } from "../ui/marks/icon-paths.ts";
import { refusalOf } from "./access.ts";
import type { Wanted } from "./wanted.ts";

export interface CoreViews {
  overview: unknown;
  all: unknown;
  log: unknown;
  config: unknown;
  process: { name: string };
  group: { name: string };
}
/** The views of a tab: each kind with its fields. A feature adds its kinds beside their types. */
export interface ViewFields extends CoreViews {}
export type ViewKind = keyof ViewFields;
export type ViewOf<Kind extends ViewKind> = Kind extends ViewKind ? { kind: Kind } & ViewFields[Kind] : never;
export type View = ViewOf<ViewKind>;
/** Kinds that have only one view. */
export type SingleKind = { [Kind in ViewKind]: unknown extends ViewFields[Kind] ? Kind : never }[ViewKind];

/** The parameter of a view's field in its address. */
interface Field {
  readonly parameter: string;
  /** Whether it is a positive integer; otherwise it is text. */
  readonly isId?: true;
  readonly isOptional?: true;
}

/** A kind of view, without the component that draws it. */
export interface ViewType<Kind extends ViewKind = ViewKind> {
  readonly kind: Kind;
  readonly icon: IconName;
  /** By default the last part of its name. */
  readonly title?: string;
  titleOf?(view: ViewOf<Kind>): string;
  /** Omitted if there is only one such view; the parameter `view` then has its kind. */
  readonly fields?: Readonly<Record<Exclude<keyof ViewOf<Kind>, "kind">, Field>>;
  /** "/" by default. */
  readonly path?: string;
  /** Further parameters of its address, which the view itself reads and writes. */
  readonly parameters?: readonly string[];
  /** A request that the view makes: it is not offered to users who may not send it. Omitted: the view shows what the user may see. */
  needs?(view: ViewOf<Kind>): Wanted | null;
  /** The view whose navigation entry is also that of this one. */
  readonly under?: ViewKind;
  /** The view that shows a process of a host, or one thread of it. */
  ofPid?(host: string, pid: number, tid?: number): ViewOf<Kind>;
}

const types = new Map<string, ViewType>();

/** Adds kinds of views. Addresses and stored layouts can only name these; addresses are read in this order. */
export function addViewTypes(more: readonly ViewType[]): void {
  for (const type of more) types.set(type.kind, type);
}

const CORE: readonly ViewType<keyof CoreViews>[] = [
  { kind: "overview", icon: "grid", title: "Overview" },
  { kind: "all", icon: "table", title: "All processes" },
  { kind: "log", icon: "log", title: "Log" },
  { kind: "config", icon: "config", title: "Configuration", needs: () => ({ type: "request_config_file" }) },
  { kind: "process", icon: "start", fields: { name: { parameter: "process" } }, parameters: ["at"] },
  { kind: "group", icon: "menu", fields: { name: { parameter: "group" } } },
];
addViewTypes(CORE);

export function typeOf(kind: ViewKind): ViewType {
  const type = types.get(kind);
  if (type === undefined) throw new Error(`the view '${kind}' is not among the views of the page`);
  return type;
}

const fieldsOf = ({ fields = {} }: ViewType): readonly (readonly [string, Field])[] => Object.entries<Field>(fields);

/** One key per view: equal views have equal keys. */
export function keyOf(view: View): string {
  const values: Readonly<Record<string, unknown>> = { ...view };
  return [view.kind, ...fieldsOf(typeOf(view.kind)).map(([name]) => values[name] ?? "")].join(":");
}

export function titleOf(view: View): string {
  const type = typeOf(view.kind);
  if (type.titleOf) return type.titleOf(view);
  return "name" in view ? view.name.slice(view.name.lastIndexOf("/") + 1) : (type.title ?? view.kind);
}

/** The reason why the user may not open a view, as a sentence; null: the user may. */
export function viewRefusal(view: View): string | null {
  const type = typeOf(view.kind);
  const wanted = type.needs?.(view) ?? null;
  return wanted && refusalOf(wanted, `The view ${type.title ?? titleOf(view)}`);
}

/** The view of a process of a host, or of one thread of it; null if the page has none. */
export function viewOfPid(host: string, pid: number, tid?: number): View | null {
  for (const type of types.values()) if (type.ofPid) return type.ofPid(host, pid, tid);
  return null;
}

/** The part of an address that names a view. */
export interface Address {
  pathname: string;
  search: string;
}

/** The view that an address requests; null if it names none. Other parameters are ignored here. */
export function viewOfAddress({ pathname, search }: Address): View | null {
  const parameters = new URLSearchParams(search);
  for (const type of types.values()) {
    if ((type.path ?? "/") !== pathname) continue;
    const isNamed = type.fields !== undefined || parameters.get("view") === type.kind;
    const view = isNamed ? viewWith(type, (_, { parameter }) => parameters.get(parameter)) : null;
    if (view !== null) return view;
  }
  return null;
}

/** The view of a kind with fields from an address or a stored layout; null if they are invalid. */
function viewWith(type: ViewType, get: (name: string, field: Field) => unknown): View | null {
  const found: Record<string, unknown> = { kind: type.kind };
  for (const [name, field] of fieldsOf(type)) {
    const value = get(name, field);
    if (field.isId && value !== null && Number.isInteger(Number(value)) && Number(value) > 0) found[name] = Number(value);
    else if (!field.isId && typeof value === "string" && value !== "") found[name] = value;
    else if (!field.isOptional) return null;
  }
  return found as View;
}

/** The address of a view. Keeps all parameters of `search` that belong to no view. */
export function addressOfView(view: View, search: string): string {
  const parameters = new URLSearchParams(search);
  parameters.delete("view");
  for (const type of types.values()) {
    for (const [, { parameter }] of fieldsOf(type)) parameters.delete(parameter);
    if (type.kind !== view.kind) for (const name of type.parameters ?? []) parameters.delete(name);
  }
  const own = typeOf(view.kind);
  const values: Readonly<Record<string, unknown>> = { ...view };
  for (const [name, { parameter }] of fieldsOf(own)) if (values[name] !== undefined) parameters.set(parameter, String(values[name]));
  if (own.fields === undefined && view.kind !== "overview") parameters.set("view", view.kind);
  // Slashes are legal in a query and easier to read.
  const text = parameters.toString().replaceAll("%2F", "/");
  return (own.path ?? "/") + (text === "" ? "" : `?${text}`);
}

/** The query of an address without the parameters that views read and write themselves. */
export function withoutParameters(search: string): string {
  const parameters = new URLSearchParams(search);
  for (const type of types.values()) for (const name of type.parameters ?? []) parameters.delete(name);
  return parameters.toString();
}

/** Whether an address is that of a pop-out window: one view and nothing else. */
export function isPoppedOut(address: Address): boolean {
  return new URLSearchParams(address.search).get("window") === "1" && viewOfAddress(address) !== null;
}

/**
 * The query of the WebSocket: a pop-out window uses the manager's focused connections (docs/design/wire-rules.md, "Focused connections").
 */
export function socketQuery(address: Address): string {
  const view = isPoppedOut(address) ? viewOfAddress(address) : null;
  if (view?.kind === "process") return `?single_process=${encodeURIComponent(view.name)}`;
  if (view?.kind === "group") return `?single_group=${encodeURIComponent(view.name)}`;
  return view?.kind === "log" ? "?log_only=1" : "";
}

/** Parses a stored view; null if it is invalid. */
export function readView(value: unknown): View | null {
  if (typeof value !== "object" || value === null || !("kind" in value) || typeof value.kind !== "string") return null;
  const type = types.get(value.kind);
  const values: Readonly<Record<string, unknown>> = { ...value };
  return type === undefined ? null : viewWith(type, (name) => values[name] ?? null);
}
