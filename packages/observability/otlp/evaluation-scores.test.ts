import { expect, test } from "vitest";
import { attributes, jsonRequest, jsonSpan, TRACE } from "#testing/otlp-request.ts";
import { useOtlpRig } from "#testing/use-otlp-rig.ts";

const otlp = useOtlpRig();

const [ROOT, CALL] = ["a".repeat(16), "b".repeat(16)] as const;
const result = (values: Parameters<typeof attributes>[0], score?: number) => ({
  name: "gen_ai.evaluation.result",
  eventName: "gen_ai.evaluation.result",
  timeUnixNano: "1795000000000000001",
  attributes: [
    ...attributes(values),
    ...(score === undefined ? [] : [{ key: "gen_ai.evaluation.score.value", value: { doubleValue: score } }]),
  ],
});
const RELEVANCE = result(
  {
    "gen_ai.evaluation.name": "Relevance",
    "gen_ai.evaluation.score.label": "relevant",
    "gen_ai.evaluation.explanation": "on the point",
  },
  0.75,
);
const TONE = result({ "gen_ai.evaluation.name": "Tone", "gen_ai.evaluation.score.label": "kind" });

async function readScores() {
  const { rows } = await otlp.rig.database.pool.query(
    `select name, value, text_value, data_type, comment, source, observation_id is null as is_of_trace
     from observability.scores order by name, observation_id`,
  );
  return rows;
}

const EXPECTED = [
  {
    name: "Relevance",
    value: 0.75,
    text_value: null,
    data_type: "number",
    comment: "relevant: on the point",
    source: "application",
    is_of_trace: false,
  },
  { name: "Tone", value: null, text_value: "kind", data_type: "category", comment: null, source: "application", is_of_trace: false },
];

test("evaluations in a span are scores of its step, once, and no events of it", async () => {
  const spans = [jsonSpan(ROOT, 0), jsonSpan(CALL, 1, { parentSpanId: ROOT, events: [RELEVANCE, TONE] })];
  await otlp.send(jsonRequest(spans));
  await otlp.send(jsonRequest(spans));
  await otlp.store();
  expect(await readScores()).toEqual(EXPECTED);
  expect(JSON.stringify(await otlp.traces())).not.toContain("otel.events");
});

test("evaluations as records of logs are scores, whenever they come: of a step, or without a span of the trace", async () => {
  await otlp.send(jsonRequest([jsonSpan(ROOT, 0), jsonSpan(CALL, 1, { parentSpanId: ROOT })]));
  await otlp.store();
  const of = { traceId: TRACE, spanId: CALL };
  const odd = [result({ "gen_ai.evaluation.name": "Nothing" }), result({}, 1)];
  const whole = result({ "gen_ai.evaluation.name": "Whole" }, 1);
  const logRecords = [
    ...[RELEVANCE, TONE, ...odd].map((log) => ({ ...log, ...of })),
    { ...whole, traceId: TRACE },
    { ...whole, spanId: CALL },
  ];
  const body = JSON.stringify({ resourceLogs: [{ scopeLogs: [{ logRecords }] }] });
  for (let times = 0; times < 2; times += 1) {
    const headers = { "content-type": "application/json", "x-api-key": otlp.key };
    // eslint-disable-next-line no-await-in-loop -- the second is the same again.
    expect(await otlp.api.server.inject({ method: "POST", url: "/v1/logs", headers, payload: body })).toMatchObject({ statusCode: 200 });
  }
  await otlp.store();
  expect(await readScores()).toEqual([
    ...EXPECTED,
    { name: "Whole", value: 1, text_value: null, data_type: "number", comment: null, source: "application", is_of_trace: true },
  ]);
});
