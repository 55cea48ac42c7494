import { describe, expect, it } from "vitest";
import { assertHappened, createBench, type MgrMatchers, matchers, Recorder } from "../../src/testing/index.ts";

declare module "vitest" {
  interface Matchers<T> extends MgrMatchers<T> {}
}
expect.extend(matchers);

const bench = () =>
  createBench(
    {
      processes: {
        db: { command: "db", ready: { regex: "listening" } },
        "web/api": { command: "api", depends_on: { db: { condition: "ready" } }, restart: { policy: "on-failure", delay: "1s" } },
      },
    },
    {
      programs: {
        db: async (process) => {
          await process.sleep(250);
          process.print("db #1; <listening>\n");
        },
        "web/*": async (process) => {
          await process.sleep(1_000);
          process.print("half a ");
          process.print("line\nno end");
          return process.run === 1 ? 3 : undefined;
        },
      },
    },
  );

async function story() {
  const made = await bench();
  const recorder = new Recorder(made.manager, { output: ["db", "web/api"] });
  await made.until(made.manager.process("web/api").start());
  await made.advance(2_000);
  await made.until(made.manager.process("db").stop());
  return { recorder, made };
}

describe("a recorder", () => {
  it("prints the events in readable form", async () => {
    const { recorder, made } = await story();
    await made.close();
    expect(recorder.text()).toBe(
      `
   0.000 s  db       starting
   0.000 s  web/api  waiting (for db)
   0.000 s  db       starting → started
   0.250 s  db       | db #1; <listening>
   0.255 s  db       started → ready
   0.255 s  web/api  waiting → starting
   0.255 s  web/api  starting → started
   1.255 s  web/api  | half a line
   1.255 s  web/api  started → backoff (exit code 3)
   2.255 s  web/api  backoff → starting
   2.255 s  web/api  starting → started
   2.255 s  web/api  started → stopping
   2.255 s  db       ready → stopping
   2.255 s  web/api  stopping → stopped (ended by SIGTERM)
   2.255 s  db       stopping → stopped (ended by SIGTERM)`.slice(1),
    );
  });

  it("draws a Mermaid sequence diagram, whatever names and output contain", async () => {
    const { recorder, made } = await story();
    await made.close();
    expect(recorder.mermaid()).toBe(
      `
sequenceDiagram
  participant m as manager
  participant p0 as db
  participant p1 as web/api
  m->>p0: start
  Note over m,p1: waiting (for db)
  p0-->>m: started
  Note right of p0: db #35;1#59; #60;listening#62;
  p0-->>m: ready
  m->>p1: start
  p1-->>m: started
  Note right of p1: half a line
  p1-->>m: backoff (exit code 3)
  m->>p1: start
  p1-->>m: started
  m->>p1: stop
  m->>p0: stop
  p1-->>m: stopped (ended by SIGTERM)
  p0-->>m: stopped (ended by SIGTERM)`.slice(1),
    );
  });

  it("records nothing once it is disposed of", async () => {
    await using made = await bench();
    const recorder = new Recorder(made.manager.client);
    recorder[Symbol.dispose]();
    await made.until(made.manager.process("db").start());
    expect(recorder.lines).toEqual([]);
    expect(recorder.text()).toBe("");
  });
});

describe("matchers", () => {
  it("pass for what happens, and report why not", async () => {
    await using made = await bench();
    const { manager, recorder } = made;
    const db = manager.process("db");
    manager.send({ type: "start_process", name: "web/api" });
    await made.until(expect(db).toReach("ready"));
    await made.until(expect(db).toPrint(/listening/));
    await made.until(expect(manager.group("web")).toReach("started"));
    await expect(made.until(expect(db).toPrint(/never/, { timeout: 100 }))).rejects.toThrow(
      /'db' did not reach output that matches \/never\/[\s\S]*listening/,
    );
    await made.until(expect(db).not.toReach("error", { timeout: 10 }));
    expect(recorder).toHaveHappened(["db: starting", "db: started → ready", "web/api: starting → started"]);
    expect(recorder).not.toHaveHappened(["db: started → ready", "db: starting"]);
    expect(() => expect(recorder).toHaveHappened(["db: ready → stopped"])).toThrow(
      /this did not happen.*db: ready → stopped\nWhat happened:\n.*db/,
    );
    assertHappened(recorder, ["web/api: waiting", "db: started → ready"]);
    expect(() => assertHappened(recorder, ["db: started → ready", "web/api: waiting"])).toThrow("not in this order: web/api: waiting");
  });
});
