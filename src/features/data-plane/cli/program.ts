import { type Command, InvalidArgumentError } from "commander";
import { connecting, seconds } from "../../../cli/command/option-values.ts";

/** Seconds of one measurement; the manager measures at most so long. */
const MAX_WINDOW_SECONDS = 60;
const MAX_RATE = 10_000;

/** Commands of the data plane: topics, services, parameters. */
export function addDataCommands(program: Command): void {
  addTopics(program.command("topic").description("list, print, measure and publish topics of the bus"));
  addServices(program.command("service").description("list and call services of the bus"));
  addParameters(program.command("param").description("list, override, save and restore parameters of programs"));
  connecting(program.command("scope [traces...]"))
    .description("plot fields of topics in this terminal, live; TRACE is TOPIC.FIELD")
    .option("--window <seconds>", "length of the time axis", window(120), 10)
    .action(async (traces, flags) => (await import("./scope/command.ts")).scope(traces, flags));
}

/** Traffic between hosts, and the networks that they are in. */
export function addNetworkCommands(program: Command): void {
  const net = connecting(program.command("net"))
    .description("measure the traffic between hosts, and show what is wrong with it")
    .option("--seconds <seconds>", "length of one measurement", window(MAX_WINDOW_SECONDS), 2)
    .option("-w, --watch", "measure again and again until Ctrl-C")
    .option("--json", "as JSON")
    .action(async (flags) => (await import("../../network-statistics/cli/net.ts")).net(flags));
  connecting(net.command("topology"))
    .description("show networks, the interfaces in them, and gateways")
    .option("--json", "as JSON")
    .action(async (_flags, command) => (await import("../../network-statistics/cli/net.ts")).netTopology(command.optsWithGlobals()));
  connecting(net.command("tcp <host>"))
    .description("list the TCP connections of a host's programs")
    .option("--json", "as JSON")
    .action(async (host, _flags, command) => (await import("../../network-statistics/cli/net.ts")).netTcp(host, command.optsWithGlobals()));
}

function addTopics(topic: Command): void {
  connecting(topic.command("list [names...]"))
    .description("list topics with rate, size and publisher")
    .option("--json", "as JSON")
    .action(async (names, flags) => (await import("./topic/list.ts")).topicList(names, flags));

  connecting(topic.command("info <name>"))
    .description("show the publisher, the subscribers and the definition of a topic")
    .option("--json", "as JSON")
    .action(async (name, flags) => (await import("./topic/info.ts")).topicInfo(name, flags));

  connecting(topic.command("echo <name>"))
    .description("print the messages of a topic")
    .option("--field <path>", "only this field, for example position[0]")
    .option("--csv", "as comma-separated values, one line per message")
    .option("--json", "one JSON object per line: time, seq, value")
    .option("--once", "end after one message")
    .option("--timeout <seconds>", "fail if no message comes for this long (default: wait)", seconds)
    .action(async (name, flags) => (await import("./topic/echo.ts")).topicEcho(name, flags));

  for (const [measure, what] of [
    ["hz", "messages per second"],
    ["bw", "bytes per second"],
  ] as const) {
    connecting(topic.command(`${measure} [names...]`))
      .description(`measure ${what} of topics; without NAMES of all`)
      .option("--window <seconds>", "length of one measurement", window(MAX_WINDOW_SECONDS), 1)
      .option("--once", "end after one measurement")
      .option("--json", "one JSON object per line")
      .action(async (names, flags) => (await import("./topic/rates.ts")).topicRates(measure, names, flags));
  }

  connecting(topic.command("delay <name>"))
    .description("measure the time from publishing to arrival")
    .option("--window <seconds>", "length of one measurement", window(MAX_WINDOW_SECONDS), 1)
    .option("--once", "end after one measurement")
    .option("--json", "one JSON object per line")
    .option("--timeout <seconds>", "fail if no message comes for this long (default: wait)", seconds)
    .action(async (name, flags) => (await import("./topic/delay.ts")).topicDelay(name, flags));

  connecting(topic.command("pub <name> <value>"))
    .description("publish a JSON value, once or at a rate")
    .option("--once", "publish one message (the default without --rate)")
    .option("--rate <hz>", "publish repeatedly until Ctrl-C, messages per second", rate)
    .option("--timeout <seconds>", "with --rate, end after this time", seconds)
    .option("--definition <file>", "JSON Schema, or ROS 2 message (.msg; sent as CDR)")
    .option("--definition-name <name>", "for example sensor_msgs/msg/JointState")
    .option("--keep-last", "the broker keeps the newest message for new subscribers")
    .action(async (name, value, flags) => (await import("./topic/pub.ts")).topicPub(name, value, flags));
}

function addServices(service: Command): void {
  connecting(service.command("list [names...]"))
    .description("list services with interface and provider")
    .option("--json", "as JSON")
    .action(async (names, flags) => (await import("./service/list.ts")).serviceList(names, flags));

  connecting(service.command("info <name>"))
    .description("show the endpoints of a service, with their schemas")
    .option("--json", "as JSON")
    .action(async (name, flags) => (await import("./service/info.ts")).serviceInfo(name, flags));

  connecting(service.command("call <name> [request]"))
    .description("send a JSON request to a service and print the response")
    .option("--endpoint <name>", "default: 'call', or the only endpoint")
    .option("--timeout <seconds>", "how long to wait for the response", seconds, 10)
    .option("--json", "the response in one line")
    .action(async (name, request, flags) => (await import("./service/call.ts")).serviceCall(name, request ?? "{}", flags));
}

function addParameters(param: Command): void {
  connecting(param.command("list [pattern]"))
    .description("list parameters with value and override")
    .option("--json", "as JSON")
    .action(async (pattern, flags) => (await import("./param/list.ts")).paramList(pattern ?? "*", flags));

  connecting(param.command("get <name>"))
    .description("print the value of a parameter")
    .option("--json", "as JSON, with everything about it")
    .action(async (name, flags) => (await import("./param/get.ts")).paramGet(name, flags));

  connecting(param.command("set <name> <value>"))
    .description("override a parameter")
    .option("--all", "all parameters of this name")
    .action(async (name, value, flags) => (await import("./param/set.ts")).paramSet(name, value, flags));

  connecting(param.command("clear <names...>"))
    .description("end the override of parameters")
    .option("--all", "all parameters of these names")
    .action(async (names, flags) => (await import("./param/set.ts")).paramClear(names, flags));

  connecting(param.command("dump [pattern]"))
    .description("print all overrides as YAML, for 'mgr param load'")
    .option("--json", "as JSON")
    .action(async (pattern, flags) => (await import("./param/file.ts")).paramDump(pattern ?? "*", flags));

  connecting(param.command("load <file>"))
    .description("set and clear overrides as they are in a file of 'mgr param dump'")
    .action(async (file, flags) => (await import("./param/file.ts")).paramLoad(file, flags));

  connecting(param.command("diff <file>"))
    .description("compare the overrides with a file of 'mgr param dump'; exit code 1 if they differ")
    .option("--json", "as JSON")
    .action(async (file, flags) => (await import("./param/file.ts")).paramDiff(file, flags));
}

function window(max: number) {
  return (text: string) => {
    const value = Number(text);
    if (!(value >= 0.1 && value <= max)) throw new InvalidArgumentError(`expected a number of seconds from 0.1 to ${max}.`);
    return value;
  };
}

function rate(text: string): number {
  const value = Number(text);
  if (!(value > 0 && value <= MAX_RATE)) throw new InvalidArgumentError(`expected a number above 0, at most ${MAX_RATE}.`);
  return value;
}
