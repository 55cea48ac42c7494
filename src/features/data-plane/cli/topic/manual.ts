import type { Pages } from "../../../../cli/command/feature.ts";

const CHOOSING = "NAMES are topics, the first parts of their names ('arm' means all of 'arm/…'), or fnmatch patterns such as '*/state'.";
export const THIS_MACHINE = `It needs the bus of this machine: the address is MGR_BUS_URL, which processes have, or bus.url in the state folder of the
configuration.`;

/** Manual of `mgr topic`. */
export const TOPIC_PAGES: Pages = {
  topic: {
    about: "See 'mgr topic COMMAND --help', and docs/clients.md for how programs publish topics.",
    examples: [["mgr topic list", "all topics"]],
  },
  "topic list": {
    about: `${CHOOSING} RATE is of the last full second. SIZE is that of the last message.`,
    json: "an array of topics (docs/protocol.md, 'Topic')",
    completes: { names: ["topic"] },
    examples: [["mgr topic list arm", "topics below 'arm/'"]],
  },
  "topic info": {
    about:
      "The definition is a ROS 2 message for encoding 'cdr', a JSON Schema for 'json', and a FileDescriptorSet in base64 for 'protobuf'.",
    json: "the fields of the frame topic_detail (docs/protocol.md)",
    completes: { name: ["topic"] },
    examples: [["mgr topic info arm/state", "publisher, subscribers, definition"]],
  },
  "topic echo": {
    about: `Every message is printed, as it comes from the bus of this machine. With --url, or where no bus is found, the manager gives at most 60
messages per second. A topic that is not published yet is waited for. Messages that did not arrive are counted on stderr at the end. Prints YAML documents; --field prints one value per line.
The columns of --csv are time (seconds since 1970, of publishing if the publisher tells it), seq, and the fields of the first message.`,
    json: "one object per line: time (seconds since 1970, text), seq (or null), value",
    completes: { name: ["topic"] },
    examples: [
      ["mgr topic echo arm/state", "all messages, until Ctrl-C"],
      ["mgr topic echo arm/state --field position[0]", "one field"],
      ["mgr topic echo arm/state --csv > state.csv", "for a spreadsheet or a script"],
      ["mgr topic echo arm/state --once --timeout 5", "one message, or exit code 4"],
    ],
    exitCodes: "4 if no message came within --timeout",
  },
  "topic hz": {
    about: `${CHOOSING} The brokers count: nothing is subscribed to, and every message counts, whatever the rate.
LIMIT is what 'ready' and 'alive' of processes expect of a topic, and since when it is met, or not (docs/topic-health.md).`,
    json: "one object per line: sample_seconds (the time that really passed), topics: [{name, rate, bytes_s, packets, limits}]",
    completes: { names: ["topic"] },
    examples: [
      ["mgr topic hz", "all topics, until Ctrl-C"],
      ["mgr topic hz arm/state --once --window 10", "mean rate over 10 s"],
    ],
  },
  "topic bw": {
    about: `${CHOOSING} Payload and headers, counted by the brokers.`,
    json: "one object per line: sample_seconds (the time that really passed), topics: [{name, rate, bytes_s, packets, limits}]",
    completes: { names: ["topic"] },
    examples: [["mgr topic bw camera", "all topics below 'camera/'"]],
  },
  "topic why": {
    about: `Follows a topic from its publisher through its host's broker, the links between hosts and the subscriber's broker to the subscriber,
measures for a second what each of them counts, and says the first place that is wrong and what to do. Without --to, it takes the first
subscriber with a problem. Names that no program publishes or subscribes to are compared with those that exist.`,
    json: "{steps, wrong}: the fields of the frame topic_trace (docs/protocol.md)",
    completes: { name: ["topic"] },
    examples: [
      ["mgr topic why arm/state", "at the subscriber that misses something"],
      ["mgr topic why arm/state --to arm/controller", "at this one"],
    ],
    exitCodes: "1 if something is wrong",
  },
  "topic delay": {
    about: `Measures from the publisher's time stamp (header Mgr-Time) to the arrival at this command, without decoding. If the publisher is on
another host, the difference of the clocks is included ('mgr hosts' shows it). ${THIS_MACHINE}`,
    json: "one object per line: messages, mean_ms, min_ms, p50_ms, p99_ms, max_ms",
    completes: { name: ["topic"] },
    examples: [["mgr topic delay arm/state", "one line per second, until Ctrl-C"]],
    exitCodes: "4 if no message came within --timeout",
  },
  "topic pub": {
    about: `A topic has one publisher: if a program publishes it, the command fails and names the program. Without --definition the value is sent as
JSON. ${THIS_MACHINE}`,
    completes: { name: ["topic"] },
    examples: [
      ["mgr topic pub arm/goal '{\"position\": [0.5, 1]}'", "one message"],
      ["mgr topic pub arm/goal '{\"position\": [0.5, 1]}' --rate 10", "ten per second, until Ctrl-C"],
      ['mgr topic pub name \'{"data": "x"}\' --definition String.msg --definition-name std_msgs/msg/String', "as CDR"],
    ],
  },
};
