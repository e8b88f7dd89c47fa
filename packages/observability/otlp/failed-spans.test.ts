import { expect, test } from "vitest";
import { attributes, jsonSpan } from "#testing/otlp-request.ts";
import { useOtlpRig } from "#testing/use-otlp-rig.ts";

const otlp = useOtlpRig();
const [ROOT, NODE] = ["a".repeat(16), "b".repeat(16)];

test("a failure has the stack of its last exception, at the repository and commit that the process says", async () => {
  const exceptions = ["handled", "KeyError: 'x'"].map((head, index) => ({
    name: "exception",
    attributes: attributes({
      "exception.type": "KeyError",
      "exception.message": "'x'",
      "exception.stacktrace": `Traceback (most recent call last):\n  File "/app/src/agent.py", line ${index + 1}, in run\n${head}\n`,
    }),
  }));
  const place = attributes({ "code.file.path": "src/agent.py", "code.line.number": "7" });
  const spans = [
    jsonSpan(ROOT, 0, { status: { code: 2 }, events: exceptions, attributes: place }),
    jsonSpan(NODE, 1, { parentSpanId: ROOT, events: exceptions }),
  ];
  const commit = "5f0c7e2b1d4a8896f3c2b7a1e0d9c8b7a6f5e4d3";
  const process = attributes({ "vcs.repository.url.full": "https://user@github.com/acme/agent.git", "service.version": commit });
  await otlp.send({ resourceSpans: [{ resource: { attributes: process }, scopeSpans: [{ spans }] }] });
  const origin = { repo: "github.com/acme/agent", commit };
  const stack = { ...origin, errors: [{ frames: [{ file: "/app/src/agent.py", line: 2, function: "run", own: true }] }] };
  const bodies = (await otlp.streamed()).map(({ type, body }) => ({ type, body }));
  expect(bodies.filter(({ body }) => "stack" in body)).toMatchObject([
    { type: "observation.end", body: { error: "KeyError: 'x'", stack } },
    { type: "trace.end", body: { stack } },
  ]);
  expect(bodies.find(({ type }) => type === "observation.start")?.body).toMatchObject({
    code: { ...origin, file: "src/agent.py", line: 7 },
  });
});
