import { InvalidArgumentError } from "commander";
import type { CommandGroup } from "../../../../cli/command/feature.ts";
import { connecting, seconds, window } from "../../../../cli/command/option-values.ts";
import { TOPIC_PAGES } from "./manual.ts";

/** Maximum length of one measurement, seconds; the manager has the same limit. */
const MAX_WINDOW_SECONDS = 60;
const MAX_RATE = 10_000;

/** Commands of `mgr topic`. */
export const TOPIC_GROUP: CommandGroup = {
  pages: TOPIC_PAGES,
  add: (program) => {
    const topic = program.command("topic").description("list, print, measure and publish topics of the bus");
    connecting(topic.command("list [names...]"))
      .description("list topics with rate, size and publisher")
      .option("--json", "as JSON")
      .action(async (names, flags) => (await import("./list.ts")).topicList(names, flags));

    connecting(topic.command("info <name>"))
      .description("show the publisher, the subscribers and the definition of a topic")
      .option("--json", "as JSON")
      .action(async (name, flags) => (await import("./info.ts")).topicInfo(name, flags));

    connecting(topic.command("echo <name>"))
      .description("print the messages of a topic")
      .option("--field <path>", "only this field, for example position[0]")
      .option("--csv", "as comma-separated values, one line per message")
      .option("--json", "one JSON object per line: time, seq, value")
      .option("--once", "end after one message")
      .option("--timeout <seconds>", "fail if no message comes for this long (default: wait)", seconds)
      .action(async (name, flags) => (await import("./echo.ts")).topicEcho(name, flags));

    for (const [measure, what] of [
      ["hz", "messages per second"],
      ["bw", "bytes per second"],
    ] as const) {
      connecting(topic.command(`${measure} [names...]`))
        .description(`measure ${what} of topics; without NAMES of all`)
        .option("--window <seconds>", "length of one measurement", window(MAX_WINDOW_SECONDS), 1)
        .option("--once", "end after one measurement")
        .option("--json", "one JSON object per line")
        .action(async (names, flags) => (await import("./rates.ts")).topicRates(measure, names, flags));
    }

    connecting(topic.command("delay <name>"))
      .description("measure the time from publishing to arrival")
      .option("--window <seconds>", "length of one measurement", window(MAX_WINDOW_SECONDS), 1)
      .option("--once", "end after one measurement")
      .option("--json", "one JSON object per line")
      .option("--timeout <seconds>", "fail if no message comes for this long (default: wait)", seconds)
      .action(async (name, flags) => (await import("./delay.ts")).topicDelay(name, flags));

    connecting(topic.command("why <name>"))
      .description("find out why messages of a topic do not arrive")
      .option("--to <client>", "at this subscriber: the name of a client or of its process")
      .option("--json", "as JSON")
      .action(async (name, flags) => (await import("./why.ts")).topicWhy(name, flags));

    connecting(topic.command("pub <name> <value>"))
      .description("publish a JSON value, once or at a rate")
      .option("--once", "publish one message (the default without --rate)")
      .option("--rate <hz>", "publish repeatedly until Ctrl-C, messages per second", rate)
      .option("--timeout <seconds>", "with --rate, end after this time", seconds)
      .option("--definition <file>", "JSON Schema, ROS 2 message (.msg; sent as CDR), or a name such as foxglove.PoseInFrame")
      .option("--definition-name <name>", "for example sensor_msgs/msg/JointState")
      .option("--keep-last", "the broker keeps the newest message for new subscribers")
      .action(async (name, value, flags) => (await import("./pub.ts")).topicPub(name, value, flags));
  },
};

function rate(text: string): number {
  const value = Number(text);
  if (!(value > 0 && value <= MAX_RATE)) throw new InvalidArgumentError(`expected a number above 0, at most ${MAX_RATE}.`);
  return value;
}
