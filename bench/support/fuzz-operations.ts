// Random operations of a bus client, valid and not.

export type Below = (limit: number) => number;

const BODY = "x".repeat(70_000);
const LONG = Array(80).fill("t").join(".");
const SUBJECTS = [
  "a",
  "a.b",
  "a.*",
  ">",
  "a.>",
  "*.b",
  "topic.fuzz.1",
  "topic.fuzz.2",
  "topic.fuzz.>",
  "mgr.host.x.do.stop",
  "mgr.client.register",
];
const BAD_SUBJECTS = ["", ".", "a..b", "$SYS.x", "$MGR.kept", "\0", "ü.ö", LONG, BODY.slice(0, 1_100), "topic.%61", "_INBOX.>"];
const BAD_SIZES = ["-1", "65537", "2147483648", "9007199254740993", "0x10", "1e3", "+5", ""];
const CONNECTS = [
  "{}",
  '{"verbose":true,"pedantic":true}',
  '{"verbose":false,"headers":true,"no_responders":true,"echo":false}',
  '{"verbose":null,"auth_token":null}',
  '{"server_id":"EVIL","name":"evil","headers":true}',
  '{"verbose":"yes"}',
  "{",
  "[]",
  "",
];

function oneOf<T>(below: Below, values: readonly T[]): T {
  return values[below(values.length)] as T;
}

/** One in eight is invalid. */
function subject(below: Below): string {
  if (below(8) === 0) return oneOf(below, BAD_SUBJECTS);
  return below(3) === 0 ? `s.${below(500)}` : oneOf(below, SUBJECTS);
}

function size(below: Below): number {
  return oneOf(
    below,
    [0, 1, 20, 200, 2_000, 20_000, 65_536].map((most) => below(most + 1)),
  );
}

function publication(below: Below): string {
  const [bytes, reply] = [size(below), below(4) === 0 ? `${subject(below)} ` : ""];
  const said = below(40) === 0 ? oneOf(below, BAD_SIZES) : bytes;
  return `PUB ${subject(below)} ${reply}${said}\r\n${BODY.slice(0, bytes)}\r\n`;
}

function headers(below: Below): string {
  const head = `NATS/1.0\r\nMgr-Seq: ${below(1_000)}\r\nMgr-Time: ${below(5) === 0 ? "now" : Date.now()}000000\r\n\r\n`;
  const bytes = size(below) % 5_000;
  const given = below(20) === 0 ? below(200) : head.length;
  return `HPUB ${subject(below)} ${given} ${head.length + bytes}\r\n${head}${BODY.slice(0, bytes)}\r\n`;
}

function registration(below: Below): string {
  const topics = Array.from({ length: below(30) }, (_, n) => ({
    name: below(10) === 0 ? oneOf(below, ["", "a//b", LONG]) : `fuzz/${below(3) === 0 ? n : below(1_000)}`,
    keep_last: below(2) === 0,
    encoding: oneOf(below, ["raw", "json", "cdr", "no"]),
    definition: oneOf(below, ["", "{}", "float64 x", "NoSuch y", "not json"]),
    priority: below(9),
    ...(below(3) === 0 ? { max_age_ms: below(100) } : {}),
    ...(below(3) === 0 ? { reliable_within: below(100_000) } : {}),
  }));
  const text = below(20) === 0 ? "{" : JSON.stringify({ name: `fuzz ${below(60)}`, pid: below(100), topics });
  return `SUB _INBOX.r 9\r\nPUB mgr.client.register _INBOX.r ${Buffer.byteLength(text)}\r\n${text}\r\n`;
}

function garbage(below: Below): string {
  return String.fromCharCode(...Array.from({ length: below(60) }, () => below(256))) + (below(2) === 0 ? "\r\n" : "");
}

const times = (count: number, line: (n: number) => string) => Array.from({ length: count }, (_, n) => line(n)).join("");

const OPERATIONS: readonly [weight: number, text: (below: Below) => string][] = [
  [80, publication],
  [40, headers],
  [48, (below) => `SUB ${subject(below)} ${below(3) === 0 ? `q${below(3)} ` : ""}${below(300)}\r\n`],
  [32, (below) => `UNSUB ${below(300)}${below(3) === 0 ? ` ${below(20)}` : ""}\r\n`],
  [16, (below) => times(below(300), (n) => `SUB work q ${n}\r\n`)],
  [12, (below) => times(below(400), (n) => `SUB ${below(2) === 0 ? "a" : `many.${n}.*.${below(9)}`} ${n}\r\n`)],
  [16, (below) => times(below(200), () => "PUB a 5\r\nhello\r\n")],
  [16, (below) => times(below(50), (n) => `PUB topic.fuzz.${n} 3000\r\n${BODY.slice(0, 3_000)}\r\n`)],
  [12, registration],
  [24, () => "PING\r\n"],
  [24, () => "PONG\r\n"],
  [8, (below) => times(below(30), () => `PUB a 60000\r\n${BODY.slice(0, 60_000)}\r\n`)],
  // Most of these end the connection.
  [2, (below) => `CONNECT ${oneOf(below, CONNECTS)}\r\n`],
  [1, (below) => oneOf(below, [`LS+ a.${below(9)}\r\n`, "LS- a\r\n", "LMSG a 5\r\nhello\r\n", "INFO {}\r\n", "-ERR 'no'\r\n", "+OK\r\n"])],
  [1, garbage],
  // The rest never comes.
  [1, (below) => `PUB a ${below(65_536)}\r\n${BODY.slice(0, below(1_000))}`],
];
const TOTAL = OPERATIONS.reduce((sum, [weight]) => sum + weight, 0);

export function randomOperation(below: Below): string {
  let left = below(TOTAL);
  for (const [weight, text] of OPERATIONS) {
    left -= weight;
    if (left < 0) return text(below);
  }
  return "PING\r\n";
}
