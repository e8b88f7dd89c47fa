import { spawn } from "node:child_process";
import { once } from "node:events";
import { Queue } from "bullmq";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createModelServer, type ModelAnswer, type ModelRequest } from "#testing/model-server.ts";
import { createTestStream, ofType } from "#testing/stream.ts";

/** All start at once, each a process that loads its library. */
const TEST_MS = 90_000;

let models: Awaited<ReturnType<typeof createModelServer>>;
beforeAll(async () => {
  models = await createModelServer(answer);
});
afterAll(() => models.stop());

it.concurrent.each([
  ["plain", "1 page, 1 order", ["retriever find-documents", "tool query_orders"]],
  ["langgraph-agent", "Your order is on its way.", ["node think", "llm", "node tools", "tool find_order"]],
  ["langchain-chain", "Short.", ["llm"]],
  ["openai-client", "Hello\nHello", ["llm openai.chat"]],
  ["anthropic-client", "Hello", ["llm anthropic.messages"]],
  ["ai-sdk", "Hello", ["span generateText", "llm local.chat"]],
])("the example %s runs as it stands, and what it is about arrives", { timeout: TEST_MS }, async (example, said, steps) => {
  const stream = createTestStream();
  const { child, output } = start(example, stream);
  const [code] = await once(child, "close");
  expect([code, output()]).toEqual([0, expect.stringContaining(said)]);
  const events = await stream.read();
  expect([ofType(events, "trace.start").length, ofType(events, "trace.end").length]).toEqual([1, 1]);
  const recorded = ofType(events, "observation.start").map(({ kind, name }) => `${String(kind)} ${String(name)}`);
  expect(steps.filter((step) => !recorded.some((each) => each.startsWith(step)))).toEqual([]);
  await stream.stop();
});

it.concurrent("the example express-app records a trace for each request, and sends the last at its end", { timeout: TEST_MS }, async () => {
  const stream = createTestStream();
  const { child, output } = start("express-app", stream);
  await expect.poll(output, { timeout: TEST_MS }).toMatch(/port \d+\n/);
  const address = `http://127.0.0.1:${/port (\d+)/.exec(output())?.[1]}`;
  const answers = [1, 2, 3].map((number) => ({ answer: `nobody knows about q${number}` }));
  for (const [index, answered] of answers.entries()) {
    expect(await (await fetch(`${address}/ask?question=q${index + 1}&user=u-1`)).json()).toEqual(answered);
  }
  expect(await (await fetch(`${address}/metrics`)).text()).toContain("studio_events_published_total");
  child.kill("SIGTERM");
  await once(child, "close");
  expect(ofType(await stream.read(), "trace.end").map(({ output: said }) => said)).toEqual(answers);
  await stream.stop();
});

it.concurrent("the example bullmq-worker records a trace for each job", { timeout: TEST_MS }, async () => {
  const stream = createTestStream();
  const { child } = start("bullmq-worker", stream);
  const queue = new Queue("example", { connection: { url: stream.url } });
  await queue.addBulk([1, 2, 3].map((data) => ({ name: "square", data })));
  await expect.poll(() => queue.getCompletedCount(), { timeout: TEST_MS }).toBe(3);
  await queue.obliterate();
  await queue.close();
  child.kill("SIGTERM");
  await once(child, "close");
  expect(ofType(await stream.read(), "trace.end").map(({ output: said }) => said)).toEqual([1, 4, 9]);
  await stream.stop();
});

/** Next.js itself is not installed: its two functions are called as it calls them. */
it.concurrent("the example nextjs records a trace for each request of its route handler", { timeout: TEST_MS }, async () => {
  const stream = createTestStream();
  const call = [
    'await (await import("./nextjs/instrumentation.ts")).register();',
    'const { GET } = await import("./nextjs/route.ts");',
    'console.log(await (await GET(new Request("http://localhost/ask?question=q1"))).text());',
  ];
  const { child, output } = run(["--input-type=module", "--eval", call.join("\n")], stream);
  expect(await once(child, "close")).toEqual([0, null]);
  const answered = { answer: "nobody knows about q1" };
  expect(output()).toContain(JSON.stringify(answered));
  expect(ofType(await stream.read(), "trace.end").map(({ output: said }) => said)).toEqual([answered]);
  await stream.stop();
});

function start(example: string, stream: ReturnType<typeof createTestStream>) {
  return run([`${example}.ts`], stream);
}

function run(given: readonly string[], stream: ReturnType<typeof createTestStream>) {
  const child = spawn(process.execPath, given, {
    cwd: new URL("../examples/", import.meta.url),
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...process.env,
      NEXT_RUNTIME: "nodejs",
      BROKER_URL: stream.url,
      OBS_REDIS_URL: stream.url,
      OBS_PROJECT_ID: stream.options.projectId,
      OBS_STREAM_NAME: stream.streamName,
      OPENAI_API_KEY: "k",
      OPENAI_BASE_URL: `${models.url}/v1`,
      ANTHROPIC_API_KEY: "k",
      ANTHROPIC_BASE_URL: models.url,
      LOCAL_BASE_URL: `${models.url}/v1`,
    },
  });
  let output = "";
  for (const pipe of [child.stdout, child.stderr]) {
    pipe.setEncoding("utf8").on("data", (text: string) => (output += text));
  }
  return { child, output: () => output };
}

/** As much of the two providers' protocols as the examples need. */
function answer({ path, body }: ModelRequest): ModelAnswer {
  if (path.endsWith("/messages")) {
    const message = { id: "m-1", type: "message", role: "assistant", model: body["model"], stop_reason: "end_turn" };
    return { json: { ...message, content: [{ type: "text", text: "Hello" }], usage: { input_tokens: 3, output_tokens: 1 } } };
  }
  const usage = { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 };
  const common = { id: "c-1", created: 1, model: body["model"] };
  if (body["stream"] !== true) {
    const choice = { index: 0, message: { role: "assistant", content: "Hello" }, finish_reason: "stop" };
    return { json: { ...common, object: "chat.completion", choices: [choice], usage } };
  }
  const chunk = { ...common, object: "chat.completion.chunk" };
  const choices = [{ index: 0, delta: { content: "Hello" }, finish_reason: "stop" }];
  return { events: [{ data: { ...chunk, choices } }, { data: { ...chunk, choices: [], usage } }, { data: "[DONE]" }] };
}
