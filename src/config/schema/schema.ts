import type { z } from "zod";
import { nameProblem } from "../../base/names.ts";
import { displaysSection } from "../../features/displays/config.ts";
import { loggersSection } from "../../features/loggers/config.ts";
import { recordSection } from "../../features/recordings/config.ts";
import type { Finding } from "../load/problems.ts";
import { busAddress, hostName, leafnodeAddress, listenAddress, netmask, origin } from "./schema-addresses.ts";
import { described, jsonSchemaOf, listOf, listOr, namedMap, section } from "./schema-kinds.ts";
import { defaultsSection, processSection, templateSection } from "./schema-process.ts";
import {
  busMemory,
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
 * The keys of the configuration file (docs/config.schema.json is generated from here), before defaults are applied.
 * Every key carries its description; defaults stand in resolve.ts.
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
  webui_auth_file: described(
    "Users and passwords of the web interface, relative to the folder of this file. MGR_WEBUI_AUTH_FILE overrides it.",
    path("the path of a file"),
  ),
  webui_https_cert_file: described(
    "PEM file with the certificate chain, and with the private key unless webui_https_key_file names it. The port then also accepts HTTPS.",
    path("the path of a file"),
  ),
  webui_https_key_file: described("PEM file with the private key of webui_https_cert_file.", path("the path of a file")),
  https_only: described("Answer plain HTTP with a redirect to HTTPS, and mark the session cookie Secure. Default false.", flag),
  allowed_hosts: described(
    "Further host names, without port, under which browsers reach this manager, such as that of a proxy.",
    listOf("host names", hostName),
  ),
  allowed_origins: described(
    "Origins of pages of other ports, subdomains or sites that may use this manager's WebSocket, bus and GET routes, such as https://dash.lab:3000.",
    listOf("origins", origin),
  ),
  bus_listen: described(
    "Address at which the manager's bus accepts programs and daemons of other hosts (NATS protocol): [HOST]:PORT. Default: none; the one port has it as /mgr/bus.",
    listenAddress,
  ),
  bus: described(
    "A NATS server, or several of one cluster, for remote hosts and clients instead of the manager's own broker.",
    listOr(listOf("URLs", busAddress, { minItems: 1 }), busAddress),
  ),
  bus_credentials_file: described("NATS credentials file (user JWT and seed) that the manager uses for 'bus'.", path("the path of a file")),
  bus_ca_file: described(
    "PEM file with the trusted certificate authorities for 'bus'. Default: those of the system.",
    path("the path of a file"),
  ),
  bus_cert_file: described("PEM file with the manager's own certificate, if 'bus' requires one.", path("the path of a file")),
  bus_key_file: described("PEM file with the private key of bus_cert_file.", path("the path of a file")),
  bus_leafnode_url: described(
    "With 'bus': the leaf-node listener of that nats-server, such as nats://leaf:PASSWORD@10.0.0.1:7422, which links the programs of all hosts.",
    leafnodeAddress,
  ),
  bus_max_payload: described(
    "Largest message on the bus, from 1KiB to 64MiB. Default 1MiB. Each subscriber's queue can hold one more message than its limit.",
    payloadSize,
  ),
  bus_memory: described(
    "Memory of each host's broker for queues, kept messages and loggers, from 16MiB. Default an eighth of the machine's, at most 1GiB.",
    busMemory,
  ),
  state_dir: described("Folder for the state of the manager. Default $XDG_STATE_HOME/mgr/<name>.", path("the path of a folder")),
  scope_process: described(
    "Process that provides the service 'mgr.scope.v1' (docs/clients.md): it shows the traces of open_parameter_scope, and is started for them.",
    text("the name of a process"),
  ),
  retained_log_entries: described("Entries of the manager's log that are kept in memory. Default 10000.", integer(1, 1_000_000)),
  on_manager_lost: described(
    "What daemons do when the manager is gone: keep their processes (the default), or stop them.",
    managerLostPolicy,
  ),
  manager_lost_after: described("How long daemons wait before 'on_manager_lost: stop' takes effect. Default 60s.", positiveDuration),
  start_tools: described("Programs that processes can be started with: debuggers, profilers, tracers.", listOf("start tools", startTool)),
};

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
  templates: described(
    "Templates for processes, used with 'extends'.",
    namedMap("a mapping from names of templates to settings of processes", templateSection, (name) => (name === "" ? "is empty" : null)),
  ),
  groups: described(
    "Settings of groups. The names of processes also create groups.",
    namedMap(
      "a mapping from group names to {opened}",
      section({
        opened: described("Whether the group is shown expanded. Default true.", flag),
      }),
      nameProblem,
    ),
  ),
  processes: described(
    "The processes by name; '/' separates groups.",
    namedMap("a mapping from process names to their settings", processSection, nameProblem),
  ),
};

const rest = {
  defaults: described("Settings of all processes. Their templates and their own keys override them.", defaultsSection),
  nodes: described(
    "Logical names for hosts, for the key 'node' of processes.",
    namedMap("a mapping from names of nodes to hosts", hostName, nodeProblem),
  ),
  hosts: described(
    "Machines in addition to the manager's own, each with a daemon (mgr daemon --host NAME).",
    namedMap(
      "a mapping from hosts to {aliases, token_file, start_rate}",
      section({
        aliases: described("Further names and addresses of this host.", listOf("names", hostName)),
        token_file: described("File with the token that authenticates the daemon of this host.", path("the path of a file")),
        start_rate: described("Maximum number of process starts per second on this host. Default: no limit.", startRate),
      }),
      nodeProblem,
    ),
  ),
  record: described("Topics that are recorded to disk, and where recording stops.", recordSection),
  loggers: described("The last samples of topics, kept in the memory of the daemons for download.", loggersSection),
  displays: described("Private displays of web users, for graphical programs in the browser.", displaysSection),
  networks: described(
    "Names of networks, for network statistics and topology. Networks that are not listed are found by the addresses of hosts, and named by them.",
    namedMap(
      "a mapping from names of networks to {netmasks}",
      section({ netmasks: described("The networks' addresses.", listOf("networks such as 10.0.0.0/24", netmask)) }),
      nodeProblem,
    ),
  ),
  ...partial,
};

function defineProblem(name: string): string | null {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name)
    ? null
    : `'${name}' may contain only letters, digits and '_', and must not begin with a digit`;
}

function nodeProblem(name: string): string | null {
  return /^[\p{L}\p{N}_][\p{L}\p{N}._-]{0,252}$/u.test(name) ? null : `'${name}' may contain only letters, digits, '.', '_' and '-'`;
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

/** A file names its instance; an embedding program need not. */
export const configFileSchema = section({
  instance: section(instance, { check: checkInstance }).meta({ description: "The manager itself." }),
  ...rest,
});
export const configObjectSchema = section({
  instance: section(
    { ...instance, name: instance.name.exactOptional(), manager: instance.manager.exactOptional() },
    { check: checkInstance },
  ).exactOptional(),
  ...rest,
});

/** What `include` names. */
export const includedFileSchema = section(partial);

/** What an embedding program writes. */
export type ConfigInput = NonNullable<z.input<typeof configObjectSchema>>;
/** Checked, without defaults. */
export type ConfigFile = z.output<typeof configObjectSchema>;
export type DefaultsSection = z.output<typeof defaultsSection>;

/** JSON Schema (draft 2020-12) of the configuration file, for editors. */
export function configJsonSchema(): object {
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "mgr configuration",
    ...jsonSchemaOf(configFileSchema),
    type: "object",
  };
}
