// @vitest-environment happy-dom
import { parseExactly } from "@sightline/foundation/exact-json";
import type { Comparison } from "@sightline/observability/contract";
import { screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { traceDigest } from "#features/traces/testing/digest.ts";
import { renderPart } from "#testing/render-console.tsx";
import { InputAndOutput } from "./input-and-output.tsx";

const [projectId, a, b] = [1, 2, 3].map((last) => `0190a1b2-0000-7000-8000-00000000000${last}`) as [string, string, string];
const changed: Comparison["input"] = { outcome: "changed", differences: [], cut: false };

it("shows the numbers of two runs as they were written, also where they are all there is", async () => {
  const answerOf = (id: string, input: string, output: string) => ({
    [`GET /api/observability/api/v1/projects/${projectId}/traces/${id}/summary`]: traceDigest(id, {
      input: parseExactly(input),
      output: parseExactly(output),
    }),
  });
  renderPart(<InputAndOutput compared={{ projectId, a, b }} comparison={{ input: changed, output: changed }} />, {
    ...answerOf(a, '{"order":12345678901234567890}', "1.10"),
    ...answerOf(b, '{"order":12345678901234567891}', "1e400"),
  });
  const [input, output] = (await screen.findAllByRole("heading")).map((heading) => heading.parentElement?.textContent);
  expect(input).toMatch(/order.*12345678901234567890.*12345678901234567891/u);
  expect(output).toMatch(/1\.10.*1e400/u);
});
