// @vitest-environment happy-dom
import { screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { TraceScores } from "#features/traces/details/trace-scores.tsx";
import { renderPart } from "#testing/render-console.tsx";

const AT = "2026-11-28T12:00:00.000Z";
const TRACE = "019b2c1e-0000-7000-8000-000000000001";
const base = { direction: null, minimum: null, maximum: null, categories: [], target: null, changed_at: AT, changed_by: "operator" };
const CONFIGS = [
  { ...base, name: "tone", data_type: "category", categories: ["kind", "rude"] },
  { ...base, name: "helpful", data_type: "boolean" },
];
const byNoJudge = { evaluator_version: null, judge_trace_id: null, is_calibrated: null, queue_id: null, is_resolution: false };
const given = {
  ...byNoJudge,
  trace_id: TRACE,
  observation_id: null,
  text_value: null,
  comment: null,
  source: "person",
  author: null,
  scored_at: AT,
};

function open() {
  const of = (path: string) => `/api/observability/api/v1/projects/p1${path}`;
  const list = (items: readonly unknown[]) => ({ items, next_cursor: null });
  return renderPart(<TraceScores projectId="p1" traceId={TRACE} userId="me" mayScore />, {
    [`GET ${of("/scores")}`]: list([{ ...given, id: TRACE, name: "solved", data_type: "boolean", value: 0 }]),
    [`GET ${of("/scores/names")}`]: list(["solved"]),
    [`GET ${of("/score-configs")}`]: list(CONFIGS),
    [`POST ${of("/scores")}`]: { ...given, id: TRACE, name: "tone", data_type: "category", value: null, text_value: "rude" },
  });
}

test("what the project says of a score decides which values can be given, and a boolean is a word", async () => {
  const { user, requests } = open();
  expect(await screen.findByText("no")).toBeDefined();
  await user.click(await screen.findByRole("button", { name: "Score the trace…" }));
  expect(screen.getByRole("button", { name: "Score the trace" })).toHaveProperty("disabled", true);
  await user.type(screen.getByRole("combobox", { name: "Name" }), "tone");
  await user.click(screen.getByRole("combobox", { name: "Value" }));
  await user.click(await screen.findByRole("option", { name: "rude" }));
  await user.click(screen.getByRole("button", { name: "Score the trace" }));
  await screen.findByRole("button", { name: "Score the trace…" });
  expect(requests.find(({ method }) => method === "POST")?.body).toEqual({
    trace_id: TRACE,
    name: "tone",
    text_value: "rude",
    data_type: "category",
  });
  await user.click(screen.getByRole("button", { name: "Score the trace…" }));
  await user.clear(screen.getByRole("combobox", { name: "Name" }));
  await user.type(screen.getByRole("combobox", { name: "Name" }), "helpful");
  await user.click(screen.getByRole("radio", { name: "Yes" }));
  await user.click(screen.getByRole("button", { name: "Score the trace" }));
  await screen.findByRole("button", { name: "Score the trace…" });
  expect(requests.findLast(({ method }) => method === "POST")?.body).toEqual({ trace_id: TRACE, name: "helpful", value: true });
});
