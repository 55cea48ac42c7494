import { signal } from "@preact/signals";
import { useState } from "preact/hooks";
import { messageOf } from "../../../../../src/base/errors.ts";
import type { Service } from "../../../../../src/features/data-plane/wire/service.ts";
import type { ManagerFrame } from "../../../../../src/protocol/frames/frames.ts";
import { refusalOf } from "../../../state/access.ts";
import { ask } from "../../../state/store.ts";
import { Button } from "../../../ui/button.tsx";
import { SidePanel } from "../../../ui/list/side-panel.tsx";
import { clockAt } from "../../../ui/time.ts";
import { ownersOfService } from "../data-store.ts";
import { JsonInput, readJson } from "../json-input.tsx";
import { valueText } from "../words.ts";
import { exampleOf, interfaceOf } from "./service-interface.ts";

interface Call {
  readonly service: string;
  readonly endpoint: string;
  readonly request: string;
  readonly at: number;
  readonly milliseconds: number;
  readonly answer: { ok: true; text: string } | { ok: false; text: string };
}

/** Calls made from this page, the newest first. */
const calls = signal<readonly Call[]>([]);
const MAX_CALLS = 20;

/** One service: a form to call it, and the results of earlier calls. */
export function ServicePanel({ service, onClose }: { service: Service; onClose: () => void }) {
  const { name, endpoints } = interfaceOf(service);
  const [endpointName, setEndpoint] = useState(endpoints[0]?.name ?? "call");
  const endpoint = endpoints.find((one) => one.name === endpointName);
  const [text, setText] = useState(() => valueJson(exampleOf(endpoint?.request)));
  const [isCalling, setCalling] = useState(false);
  const request = readJson(text);
  const refusal = refusalOf({ type: "call_service", owners: ownersOfService(service.name) }, "A call");
  const call = async () => {
    if (!request.ok || isCalling || refusal !== null) return;
    setCalling(true);
    const at = Date.now();
    const answer = await ask(
      { type: "call_service", name: service.name, endpoint: endpointName, request: request.value as never },
      "service_call_result",
    ).catch((error: unknown) => ({ ok: false as const, message: messageOf(error) }));
    const done: Call = {
      service: service.name,
      endpoint: endpointName,
      request: text,
      at,
      milliseconds: Date.now() - at,
      answer: shownAnswer(answer),
    };
    calls.value = [done, ...calls.peek()].slice(0, MAX_CALLS);
    setCalling(false);
  };
  const earlier = calls.value.filter((one) => one.service === service.name);
  return (
    <SidePanel label={`Service ${service.name}`} title={service.name} onClose={onClose}>
      <form
        class="detail-section call-form"
        onSubmit={(event) => {
          event.preventDefault();
          void call();
        }}
      >
        <div class="field">
          <span aria-hidden="true">Endpoint</span>
          {endpoints.length > 0 ? (
            <select
              aria-label="Endpoint"
              value={endpointName}
              onChange={(event) => {
                const chosen = event.currentTarget.value;
                setEndpoint(chosen);
                setText(valueJson(exampleOf(endpoints.find((one) => one.name === chosen)?.request)));
              }}
            >
              {endpoints.map((one) => (
                <option key={one.name} value={one.name}>
                  {one.name}
                </option>
              ))}
            </select>
          ) : (
            <input aria-label="Endpoint" value={endpointName} onInput={(event) => setEndpoint(event.currentTarget.value)} />
          )}
        </div>
        {endpoint && endpoint.description !== "" && <p class="soft">{endpoint.description}</p>}
        <JsonInput label="Request (JSON)" text={text} onInput={setText} onSubmit={() => void call()} />
        <Button class="strong" needsManager enabled={request.ok && !isCalling} forbidden={refusal} onClick={() => void call()}>
          {isCalling ? "Calling…" : "Call"}
        </Button>
      </form>
      {earlier.map((one) => (
        <section key={one.at} class="detail-section">
          <h2>
            {one.endpoint}{" "}
            <span class="soft">
              {clockAt(one.at)}, {one.milliseconds} ms
            </span>
            <Button
              class="flat"
              onClick={() => {
                setEndpoint(one.endpoint);
                setText(one.request);
              }}
            >
              Use again
            </Button>
          </h2>
          <pre class="quoted soft">{one.request}</pre>
          <pre class={`quoted ${one.answer.ok ? "" : "bad"}`}>{one.answer.text}</pre>
        </section>
      ))}
      <section class="detail-section">
        <h2>Facts</h2>
        <dl class="pairs">
          <div>
            <dt>Interface</dt>
            <dd>{name || "not told"}</dd>
          </div>
          <div>
            <dt>Provider</dt>
            <dd>
              {service.provider} on {service.provider_host}
            </dd>
          </div>
        </dl>
      </section>
    </SidePanel>
  );
}

type Answer = Extract<ManagerFrame, { type: "service_call_result" }> | { ok: false; message: string };

function shownAnswer(answer: Answer): Call["answer"] {
  return answer.ok ? { ok: true, text: valueText(answer.response) } : { ok: false, text: answer.message };
}

const valueJson = (value: unknown) => JSON.stringify(value, null, 2);
