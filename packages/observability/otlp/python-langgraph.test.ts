import { describe, expect, test } from "vitest";
import { attributes, jsonRequest, jsonSpan } from "#testing/otlp-request.ts";
import { useOtlpRig } from "#testing/use-otlp-rig.ts";
// What the instrumentations for Python sent of LangGraph 1.2: think, then ask, which interrupts; and the run that resumes it.
import recorded from "./python-langgraph.json" with { type: "json" };

const otlp = useOtlpRig();

describe.each(["openinference", "traceloop"] as const)("LangGraph for Python by %s", (instrumentation) => {
  const [asked, resumed] = recorded[instrumentation];

  test("a run that waits for a person is interrupted, and so is the node that asked", async () => {
    const trace = await received(asked);
    expect(trace).toMatchObject({ status: "interrupted", failures: 0, thread_id: "t-1" });
    expect(nodesOf(trace)).toEqual(["think success", "ask interrupted"]);
    expect(trace?.observation_list.find(({ name }) => name === "ask")).toMatchObject({
      attributes: { interrupts: [{ value: "approve?" }] },
      error: null,
    });
  });

  test("it is also when each span comes alone, the root last, which knows nothing of it; and its resume is a part of it", async () => {
    expect(await received(...spansOf(asked))).toMatchObject({ status: "interrupted", failures: 0 });
    const trace = await received(...spansOf(asked), ...spansOf(resumed));
    expect(trace).toMatchObject({ status: "success", segments: [{ status: "interrupted" }, { status: "success" }] });
  });

  test("its resume is a part of the same trace, with the edges that were taken", async () => {
    const trace = await received(asked, resumed);
    expect(trace).toMatchObject({ status: "success", segments: [{ status: "interrupted" }, { status: "success" }] });
    expect(nodesOf(trace)).toEqual(["think success", "ask interrupted", "ask success", "act success"]);
    expect(trace?.graph?.taken.map(({ from, to }) => `${from}>${to}`)).toEqual(["__start__>think", "act>__end__", "ask>act", "think>ask"]);
  });
});

describe.each(["openinference", "traceloop"] as const)(
  "a trace around a run of LangGraph by %s and the run that resumes it",
  (instrumentation) => {
    const [asked = {}, resumed = {}] = recorded[instrumentation].map(within);

    test.each([
      ["as one request each", [asked], [resumed]],
      ["span by span", spansOf(asked as Request), spansOf(resumed as Request)],
    ])("waits, and goes on, %s", async (_, before, after) => {
      expect(await received(...before)).toMatchObject({ status: "interrupted" });
      expect(await received(...after)).toMatchObject({ status: "success", failures: 0 });
      expect(await received(...before)).toMatchObject({ status: "success" });
    });

    test("has gone on where the first run comes last", async () => {
      expect(await received(resumed, asked)).toMatchObject({ status: "success", segments: [{ status: "success" }] });
    });
  },
);

test("reasoning that only the whole answer holds is kept", async () => {
  const trace = await received(recorded.openinference[0]);
  expect(trace?.observation_list.find(({ kind }) => kind === "llm")?.reasoning).toBe("The refund needs a person.");
});

test.each([
  [
    `(Interrupt(value={'question': "What's \\'it\\'?\\n\\x41\\U0001f600", 'of': (7, True, None), 'by': ('id',)}, id='92'), Interrupt(value='b, id', id='93'))`,
    [{ value: { question: "What's 'it'?\nA😀", of: [7, true, null], by: ["id"] } }, { value: "b, id" }],
  ],
  ["(Interrupt(value='approve?', resumable=True, ns=['ask:1'], when='during'),)", [{ value: "approve?" }]],
  ["(Interrupt(value=Order(id=7), id='92'),)", [{ value: "Order(id=7)" }]],
  ['[{ "value": { "q": 1 }, "id": "92" }]\n\nGraphInterrupt: …', [{ value: { q: 1 }, id: "92" }]],
  ["(Interrupt(value='not whole", [{ value: "not whole" }]],
  ["()", undefined],
])("what an interrupt asks is read from %s", async (message, interrupts) => {
  const event = {
    name: "exception",
    attributes: attributes({ "exception.type": "langgraph.errors.GraphInterrupt", "exception.message": message }),
  };
  const trace = await received(jsonRequest([jsonSpan("a".repeat(16), 0, { events: [event] })]));
  expect(trace?.observation_list[0]?.attributes["interrupts"]).toEqual(interrupts);
});

test.each([
  ["TimeoutError", "TimeoutError: read timed out", "TimeoutError: read timed out"],
  ["openai.APITimeoutError", "APITimeoutError: read timed out", "APITimeoutError: read timed out"],
  ["TimeoutError", "TimeoutError:", "TimeoutError:"],
  ["TimeoutError", "", "TimeoutError"],
])("an exception %s with the message %j is told once", async (type, message, told) => {
  const event = { name: "exception", attributes: attributes({ "exception.type": type, "exception.message": message }) };
  const trace = await received(jsonRequest([jsonSpan("a".repeat(16), 0, { status: { code: 2 }, events: [event] })]));
  expect(trace).toMatchObject({ status: "failure", error: told });
});

test.each([
  ["its process'", {}, { environment: "staging", version: "1.4.2", namespace: "shop", purpose: "experiment" }],
  ["the span's purpose", { "sightline.purpose": "judge" }, { purpose: "judge" }],
  [
    "the span's own",
    {
      "langfuse.environment": "prod",
      "langfuse.version": "v2",
      "langfuse.release": "r7",
      "tag.tags": '["vip","eu"]',
      metadata: '{"plan":"pro"}',
    },
    { environment: "prod", version: "v2", release: "r7", tags: ["vip", "eu"], attributes: { metadata: { plan: "pro" } } },
  ],
])("labels of a trace are %s", async (_, own, labels) => {
  const process = {
    "deployment.environment.name": "staging",
    "service.version": "1.4.2",
    "service.namespace": "shop",
    "sightline.purpose": "experiment",
  };
  const resource = { attributes: attributes(process) };
  const spans = [jsonSpan("a".repeat(16), 0, { attributes: attributes(own) })];
  await otlp.send({ resourceSpans: [{ resource, scopeSpans: [{ spans }] }] });
  const [start] = await otlp.streamed();
  expect(start).toMatchObject({ type: "trace.start", body: labels });
});

/** The only trace there is after these requests. */
async function received(...requests: readonly (object | undefined)[]) {
  for (const request of requests) {
    await otlp.send(request ?? {});
  }
  await otlp.store();
  const [trace, ...others] = await otlp.traces();
  expect(others).toEqual([]);
  return trace;
}

/** The request's spans in the same trace as all others, whose root is elsewhere. */
function within(request: object): object {
  return JSON.parse(JSON.stringify(request), (_, value: unknown) =>
    typeof value === "object" && value !== null && "spanId" in value
      ? { ...value, traceId: "b".repeat(32), ...("parentSpanId" in value ? {} : { parentSpanId: "c".repeat(16), flags: 0x3_01 }) }
      : value,
  ) as object;
}

type ScopeSpans = { readonly scope: object; readonly spans: readonly { readonly endTimeUnixNano: string }[] };
type Request = { readonly resourceSpans: readonly { readonly resource: object; readonly scopeSpans: readonly ScopeSpans[] }[] };

/** As an exporter sends them that does not wait for more: each when it ends. */
function spansOf(request: Request | undefined): readonly object[] {
  const spans = (request?.resourceSpans ?? []).flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ scope, spans: given }) => given.map((span) => ({ span, resource, scope }))),
  );
  return spans
    .toSorted((left, right) => Number(BigInt(left.span.endTimeUnixNano) - BigInt(right.span.endTimeUnixNano)))
    .map(({ span, resource, scope }) => ({ resourceSpans: [{ resource, scopeSpans: [{ scope, spans: [span] }] }] }));
}

function nodesOf(trace: Awaited<ReturnType<typeof received>>): readonly string[] {
  return (trace?.observation_list ?? [])
    .filter(({ name }) => ["think", "ask", "act"].includes(name))
    .map(({ name, status }) => `${name} ${status}`);
}
