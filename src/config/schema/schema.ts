import { z } from "zod";
import { nameProblem } from "../../base/text/names.ts";
import { ON_BOOT } from "../../contract/supervision.ts";
import { FILE_KEYS, INSTANCE_KEYS } from "../features.ts";
import type { Finding } from "./problems.ts";
import { accessSection } from "./schema-access.ts";
import { busAddress, hostName, hostNameOrWildcard, hostNameProblem, leafnodeAddress, listenAddress, origin } from "./schema-addresses.ts";
import { defaulted, described, jsonSchemaOf, listOf, listOr, namedMap, orNull, section } from "./schema-kinds.ts";
import { defaultsSection, processSection, templateSection } from "./schema-process.ts";
import {
  busMemory,
  choice,
  environmentValue,
  flag,
  instanceName,
  integer,
  managerLostPolicy,
  path,
  payloadSize,
  positiveDuration,
  startRate,
  startToolCommand,
  text,
} from "./schema-values.ts";

/**
 * The keys of the configuration file (docs/config.schema.json is generated from here).
 * Every key carries its description and its default.
 */
const startTool = section({
  value: text("a short name").meta({ description: "Name by which it is selected." }),
  label: text("a text").meta({ description: "Label in the user interface." }),
  command: startToolCommand.meta({ description: "The command to run; {command} is replaced by the process's command." }),
});

const instance = {
  name: instanceName.meta({ description: "Names this manager; unique on its host. 1 to 64 characters A-Z a-z 0-9 . _ -" }),
  manager: listenAddress.meta({
    description: "Address of the one port: [HOST]:PORT. An empty HOST means all interfaces, port 0 a free port.",
  }),
  webui_auth_file: orNull(
    "Users and passwords of the web interface, relative to the folder of this file. MGR_WEBUI_AUTH_FILE overrides it.",
    path("the path of a file"),
  ),
  webui_https_cert_file: orNull(
    "PEM file with the certificate chain, and with the private key unless webui_https_key_file names it. The port then also accepts HTTPS.",
    path("the path of a file"),
  ),
  webui_https_key_file: orNull("PEM file with the private key of webui_https_cert_file.", path("the path of a file")),
  https_only: defaulted("Answer plain HTTP with a redirect to HTTPS, and mark the session cookie Secure. Default {}.", flag, false),
  allowed_hosts: defaulted(
    "Further host names, without port, under which browsers reach this manager, such as that of a proxy. A wildcard such as *.bench.lab has the names under which the page opens ports of processes, see docs/forward.md.",
    listOf("host names", hostNameOrWildcard),
    [],
  ),
  allowed_origins: defaulted(
    "Origins of pages of other ports, subdomains or sites that may use this manager's WebSocket, bus and GET routes, such as https://dash.lab:3000.",
    listOf("origins", origin),
    [],
  ),
  bus_listen: orNull(
    "Address at which the manager's bus accepts programs and daemons of other hosts (NATS protocol): [HOST]:PORT. Default: none; the one port has it as /mgr/bus.",
    listenAddress,
  ),
  bus: defaulted(
    "A NATS server, or several of one cluster, for remote hosts and clients instead of the manager's own broker.",
    listOr(
      listOf("URLs", busAddress, { minItems: 1 }),
      busAddress.transform((url): readonly string[] => [url]),
    ),
    [],
  ),
  bus_credentials_file: orNull("NATS credentials file (user JWT and seed) that the manager uses for 'bus'.", path("the path of a file")),
  bus_ca_file: orNull(
    "PEM file with the trusted certificate authorities for 'bus'. Default: those of the system.",
    path("the path of a file"),
  ),
  bus_cert_file: orNull("PEM file with the manager's own certificate, if 'bus' requires one.", path("the path of a file")),
  bus_key_file: orNull("PEM file with the private key of bus_cert_file.", path("the path of a file")),
  bus_leafnode_url: orNull(
    "With 'bus': the leaf-node listener of that nats-server, such as nats://leaf:PASSWORD@10.0.0.1:7422, which links the programs of all hosts.",
    leafnodeAddress,
  ),
  bus_max_payload: defaulted(
    "Largest message on the bus, from 1KiB to 64MiB. Default {}. Each subscriber's queue can hold one more message than its limit.",
    payloadSize,
    "1MiB",
  ),
  bus_memory: orNull(
    "Memory of each host's broker for queues, kept messages and loggers, from 16MiB. Default an eighth of the machine's, at most 1GiB.",
    busMemory,
  ),
  state_dir: orNull("Folder for the state of the manager. Default $XDG_STATE_HOME/mgr/<name>.", path("the path of a folder")),
  ...INSTANCE_KEYS,
  retained_log_entries: defaulted("Entries of the manager's log that are kept in memory. Default {}.", integer(1, 1_000_000), 10_000),
  on_manager_lost: defaulted(
    "What daemons do when the manager is gone: keep their processes (the default), or stop them.",
    managerLostPolicy,
    "keep",
  ),
  manager_lost_after: defaulted("How long daemons wait before 'on_manager_lost: stop' takes effect. Default {}.", positiveDuration, "60s"),
  start_tools: defaulted(
    "Programs that processes can be started with: debuggers, profilers, tracers.",
    listOf("start tools", startTool),
    [],
  ),
};

export type AccessKeys = z.output<typeof accessSection>;
export type InstanceKeys = z.output<z.ZodObject<typeof instance>>;

const partial = {
  defines: described(
    // biome-ignore lint/suspicious/noTemplateCurlyInString: this is how it is written in the file.
    "Values for ${NAME}, which override the manager's environment. ${NAME:-default} has a default, $$ is a literal dollar sign.",
    namedMap("a mapping from names to values", environmentValue, defineProblem),
  ),
  include: described(
    "Files to include, with templates, groups and processes: globs, relative to the folder of this file.",
    listOf("globs", path("a glob such as processes/*.yaml")),
  ),
  templates: defaulted(
    "Templates for processes, used with 'extends'.",
    namedMap("a mapping from names of templates to settings of processes", templateSection, (name) => (name === "" ? "is empty" : null)),
    {},
  ),
  groups: defaulted(
    "Settings of groups. The names of processes also create groups.",
    namedMap(
      "a mapping from group names to {opened}",
      section({
        opened: defaulted("Whether the group is shown expanded. Default {}.", flag, true),
      }),
      nameProblem,
    ),
    {},
  ),
  processes: defaulted(
    "The processes by name; '/' separates groups.",
    namedMap("a mapping from process names to their settings", processSection, nameProblem),
    {},
  ),
};

const rest = {
  defaults: defaulted("Settings of all processes. Their templates and their own keys override them.", defaultsSection, {}),
  nodes: defaulted(
    "Logical names for hosts, for the key 'node' of processes.",
    namedMap("a mapping from names of nodes to hosts", hostName, hostNameProblem),
    {},
  ),
  hosts: defaulted(
    "Machines in addition to the manager's own, each with a daemon (mgr daemon --host NAME).",
    namedMap(
      "a mapping from hosts to {aliases, token_file, start_rate, on_boot}",
      section({
        aliases: defaulted("Further names and addresses of this host.", listOf("names", hostName), []),
        token_file: orNull("File with the token that authenticates the daemon of this host.", path("the path of a file")),
        start_rate: orNull("Maximum number of process starts per second on this host. Default: no limit.", startRate),
        on_boot: defaulted(
          "What the daemon of this host does after a boot while it cannot reach the manager: wait, or resume (start what was requested before). Default {}.",
          choice(...ON_BOOT),
          "wait",
        ),
      }),
      hostNameProblem,
    ),
    {},
  ),
  access: defaulted("Roles of the users of the web interface (docs/access.md). Without it every user is an admin.", accessSection, {}),
  ...FILE_KEYS,
  ...partial,
};

function defineProblem(name: string): string | null {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name)
    ? null
    : `'${name}' may contain only letters, digits and '_', and must not begin with a digit`;
}

function checkHttps(values: ReadonlyMap<string, unknown>, report: (finding: Finding) => void): void {
  if (values.has("webui_https_cert_file")) return;
  const message = "needs webui_https_cert_file: without a certificate there is no HTTPS";
  if (values.has("webui_https_key_file")) report({ path: ["webui_https_key_file"], message });
  if (values.get("https_only") === true) report({ path: ["https_only"], message });
}

function checkBus(values: ReadonlyMap<string, unknown>, report: (finding: Finding) => void): void {
  const own = ["bus_credentials_file", "bus_ca_file", "bus_cert_file", "bus_key_file", "bus_leafnode_url"];
  if (values.has("bus") && values.has("bus_listen"))
    report({ path: ["bus_listen"], message: "cannot be used with 'bus': clients connect to that server" });
  for (const key of own)
    if (values.has(key) && !values.has("bus"))
      report({ path: [key], message: "has no effect without 'bus'; add 'bus' or remove this key" });
  if (values.has("bus_cert_file") !== values.has("bus_key_file"))
    report({
      path: [values.has("bus_cert_file") ? "bus_cert_file" : "bus_key_file"],
      message: "bus_cert_file and bus_key_file must be used together",
    });
}

function checkInstance(values: ReadonlyMap<string, unknown>, report: (finding: Finding) => void): void {
  checkHttps(values, report);
  checkBus(values, report);
}

/** A file must name its instance; an embedding program need not. */
export const configFileSchema = section({
  instance: section(instance, { check: checkInstance }).meta({ description: "The manager itself." }),
  ...rest,
});
export const configObjectSchema = section({
  instance: z.prefault(
    section({ ...instance, name: instance.name.exactOptional(), manager: instance.manager.exactOptional() }, { check: checkInstance }),
    {},
  ),
  ...rest,
});

/** Schema of the files that `include` names. */
export const includedFileSchema = section(partial);

/** A configuration object of an embedding program. */
export type ConfigInput = NonNullable<z.input<typeof configObjectSchema>>;
export type ConfigFile = z.output<typeof configObjectSchema>;
export type IncludedFile = z.output<typeof includedFileSchema>;

/** Facts of a key that `jsonSchemaOf` returns beside its JSON Schema. */
const NOTES = new Set(["allowed", "unit", "default"]);

/** JSON Schema (draft 2020-12) of the configuration file, for editors. */
export function configJsonSchema(): object {
  const schema = {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "mgr configuration",
    ...jsonSchemaOf(configFileSchema),
    type: "object",
  };
  return JSON.parse(JSON.stringify(schema, (key, value) => (NOTES.has(key) ? undefined : value)));
}
