import type { Page } from "../../../cli/command/feature.ts";

const CHOOSING = "NAMES are topics, the first parts of their names ('arm' means all of 'arm/…'), or fnmatch patterns such as '*/state'.";
const PARAMETER = "NAME is the name of a parameter, or SERVICE:NAME if several programs have one of that name.";
const THIS_MACHINE = `It needs the bus of this machine: the address is MGR_BUS_URL, which processes have, or bus.url in the state folder of the
configuration.`;

/** Manual pages of the commands of the data plane. */
export const DATA_PAGES: Readonly<Record<string, Page>> = {
  net: {
    about: `SENT is counted where it is sent, RECEIVED where it arrives: what is missing was lost between. Links are between programs' hosts, whatever
way packets take; interfaces count all packets of the machine. A host that does not answer has no rates and is a problem. See docs/network.md.`,
    json: "the field stats of the frame network_stats (docs/protocol.md); with --watch one object per line",
    examples: [
      ["mgr net", "measure for two seconds"],
      ["mgr net --watch --seconds 1", "go on, once a second"],
    ],
  },
  "net topology": {
    about:
      "Networks have the names of the configuration ('networks'); others are found by the addresses of hosts, and have these as names.",
    json: "the field topology of the frame network_topology (docs/protocol.md)",
    examples: [["mgr net topology", "networks, interfaces, gateways"]],
  },
  "net tcp": {
    about:
      "HOST is any name of the host. The daemon sees the programs of its own user, as root those of all. It needs the program ss (iproute2) there.",
    json: "an array of connections (docs/protocol.md, 'TcpConnection')",
    examples: [["mgr net tcp localhost", "connections of this machine"]],
  },
  topic: {
    about: "See 'mgr topic COMMAND --help', and docs/clients.md for how programs publish topics.",
    examples: [["mgr topic list", "all topics"]],
  },
  "topic list": {
    about: `${CHOOSING} RATE is of the last full second. SIZE is that of the last message.`,
    json: "an array of topics (docs/protocol.md, 'Topic')",
    examples: [["mgr topic list arm", "topics below 'arm/'"]],
  },
  "topic info": {
    about: "The definition is a ROS 2 message for encoding 'cdr', and a JSON Schema for 'json'.",
    json: "the fields of the frame topic_detail (docs/protocol.md)",
    examples: [["mgr topic info arm/state", "publisher, subscribers, definition"]],
  },
  "topic echo": {
    about: `Every message is printed, as it comes from the bus of this machine. With --url, or where no bus is found, the manager gives at most 60
messages per second. A topic that is not published yet is waited for. Messages that did not arrive are counted on stderr at the end. Prints YAML documents; --field prints one value per line.
The columns of --csv are time (seconds since 1970, of publishing if the publisher tells it), seq, and the fields of the first message.`,
    json: "one object per line: time (seconds since 1970, text), seq (or null), value",
    examples: [
      ["mgr topic echo arm/state", "all messages, until Ctrl-C"],
      ["mgr topic echo arm/state --field position[0]", "one field"],
      ["mgr topic echo arm/state --csv > state.csv", "for a spreadsheet or a script"],
      ["mgr topic echo arm/state --once --timeout 5", "one message, or exit code 4"],
    ],
    exitCodes: "4 if no message came within --timeout",
  },
  "topic hz": {
    about: `${CHOOSING} The brokers count: nothing is subscribed to, and every message counts, whatever the rate.`,
    json: "one object per line: sample_seconds (the time that really passed), topics: [{name, rate, bytes_s, packets}]",
    examples: [
      ["mgr topic hz", "all topics, until Ctrl-C"],
      ["mgr topic hz arm/state --once --window 10", "mean rate over 10 s"],
    ],
  },
  "topic bw": {
    about: `${CHOOSING} Payload and headers, counted by the brokers.`,
    json: "one object per line: sample_seconds (the time that really passed), topics: [{name, rate, bytes_s, packets}]",
    examples: [["mgr topic bw camera", "all topics below 'camera/'"]],
  },
  "topic delay": {
    about: `Measures from the publisher's time stamp (header Mgr-Time) to the arrival at this command, without decoding. If the publisher is on
another host, the difference of the clocks is included ('mgr hosts' shows it). ${THIS_MACHINE}`,
    json: "one object per line: messages, mean_ms, min_ms, p50_ms, p99_ms, max_ms",
    examples: [["mgr topic delay arm/state", "one line per second, until Ctrl-C"]],
    exitCodes: "4 if no message came within --timeout",
  },
  "topic pub": {
    about: `A topic has one publisher: if a program publishes it, the command fails and names the program. Without --definition the value is sent as
JSON. ${THIS_MACHINE}`,
    examples: [
      ["mgr topic pub arm/goal '{\"position\": [0.5, 1]}'", "one message"],
      ["mgr topic pub arm/goal '{\"position\": [0.5, 1]}' --rate 10", "ten per second, until Ctrl-C"],
      ['mgr topic pub name \'{"data": "x"}\' --definition String.msg --definition-name std_msgs/msg/String', "as CDR"],
    ],
  },
  service: {
    about: "See 'mgr service COMMAND --help', and docs/clients.md for how programs offer services.",
    examples: [["mgr service list", "all services"]],
  },
  "service list": {
    about: "NAMES are services, the first parts of their names, or fnmatch patterns.",
    json: "an array of services (docs/protocol.md, 'Service')",
    examples: [["mgr service list", "all services"]],
  },
  "service info": {
    about: "Shows the JSON Schemas of requests and responses, if the provider publishes them.",
    json: "the service (docs/protocol.md, 'Service'), with interface as {name, endpoints: [{name, description, request, response}]}",
    examples: [["mgr service info arm/move_to", "endpoints and schemas"]],
  },
  "service call": {
    about: "REQUEST is JSON, by default {}. The response is printed as JSON. If the service answers with an error, its text is printed.",
    json: "the response in one line",
    examples: [["mgr service call arm/move_to '{\"position\": [0.5, 1]}'", "call the service"]],
    exitCodes: "2 if the service does not accept the request",
  },
  param: {
    about: "A program sets the input of a parameter; while an override is enabled, the override is in effect. See docs/clients.md.",
    examples: [["mgr param list", "parameters of all programs"]],
  },
  "param list": {
    about: `PATTERN is an fnmatch pattern for NAME or SERVICE:NAME. VALUE is in effect: the override if there is one, else the input of the program.
Programs that do not answer are named on stderr, and the exit code is 1.`,
    json: "an array of parameters (docs/protocol.md, 'Parameter')",
    examples: [
      ["mgr param list '*gain*'", "parameters whose name has 'gain'"],
      ["mgr param list 'arm/controller/parameters:*'", "parameters of one program"],
    ],
  },
  "param get": {
    about: PARAMETER,
    json: "the parameter (docs/protocol.md, 'Parameter')",
    examples: [["mgr param get gain", "the value that is in effect"]],
  },
  "param set": {
    about: `${PARAMETER} The program checks type and range. The override lasts until it is cleared or the program ends.`,
    examples: [["mgr param set gain 2.5", "override a parameter"]],
    exitCodes: "2 if the program does not accept the value",
  },
  "param clear": {
    about: `${PARAMETER} The program's own values are in effect again. If one of the names is unknown, nothing is changed.`,
    examples: [["mgr param clear gain limit", "end two overrides"]],
  },
  "param dump": {
    about: "Services, their parameters, and for each the override as text, or null if it is not overridden.",
    json: "{SERVICE: {NAME: value or null}}",
    examples: [["mgr param dump > overrides.yaml", "save all overrides"]],
  },
  "param load": {
    about: `Sets the overrides of the file, and clears those that are null in it. Parameters that are not in the file stay as they are. Parameters of
the file that do not exist are named on stderr, and the exit code is 1.`,
    examples: [["mgr param load overrides.yaml", "restore overrides"]],
  },
  "param diff": {
    about: "Only parameters that are in the file are compared.",
    json: "an array of {parameter, file, now, exists}; null: not overridden",
    examples: [["mgr param diff overrides.yaml", "what differs from the file"]],
    exitCodes: "1 if there are differences",
  },
  scope: {
    about: `TRACE is a topic and a numeric field of it: arm/state.position[0]. A topic alone shows all its numeric fields. Without TRACES it waits for
traces from elsewhere: it provides a service of the interface mgr.scope.v1, so that it can be the process 'instance.scope_process', in which
the page opens parameters. Space pauses, + and - change the window, up and down select a trace, Enter hides it, x removes it, f fits the value axis
or holds it, c clears, ? shows all keys, q quits. ${THIS_MACHINE}`,
    examples: [
      ["mgr scope arm/state.position[0] arm/state.velocity[0]", "two traces"],
      ["mgr scope arm/state --window 30", "all numeric fields, the last 30 s"],
    ],
  },
};
