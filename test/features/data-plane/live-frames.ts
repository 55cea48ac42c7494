import type { Live } from "../../e2e/support/live-frames.ts";
import { eventually } from "../../e2e/support/wait.ts";

/** Clients, topics, services and parameters. */
export async function dataPlaneLive({ ask, client, program, topic }: Live): Promise<void> {
  await ask({ type: "request_clients" });
  await eventually("the topic is there", async () => ((await ask({ type: "request_topics" })).topics as unknown[]).length > 0);
  await eventually("its services are there", async () => ((await ask({ type: "request_services" })).services as unknown[]).length === 4);
  await ask({ type: "subscribe_topic", name: topic, max_rate: 20, fields: ["position"] });
  program.publish(1);
  await ask({ type: "unsubscribe_topic", name: topic });
  const definition = JSON.stringify({ type: "number" });
  await ask({ type: "publish_topic", name: "operator/speed", value: 0.5, definition, definition_name: "Speed" });
  await ask({ type: "request_topics_stat", sample_seconds: 1 });
  await ask({ type: "request_topic_detail", name: topic });
  await ask({ type: "trace_topic", name: topic, to: "nobody" });
  const call = { type: "call_service", name: "arm/move_to", endpoint: "call", request: { position: 1 } };
  // The link between the brokers has to know of the service first.
  await eventually("the service answers", async () => (await client.ask(call)).ok === true);
  await ask(call);
  const [parameter] = await eventually("the parameters are there", async () => {
    const { parameters } = await ask({ type: "request_parameters", pattern: "gain" });
    return (parameters as { id: string }[]).length > 0 ? (parameters as { id: string }[]) : null;
  });
  const provider_id = Number(parameter?.id.split(":")[0]);
  const named = { service: "arm/controller/parameters", provider_id, parameter: "gain" };
  // A provider may be too slow for once, as everything on a busy machine.
  for (const frame of [
    { type: "set_parameter_override", ...named, enabled: true, value: "2" },
    { type: "open_parameter_scope", ...named },
  ])
    await eventually(`'${frame.type}' is accepted`, () => ask(frame).catch(() => null));
}
