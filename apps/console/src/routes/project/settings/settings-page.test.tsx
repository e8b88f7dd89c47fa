// @vitest-environment happy-dom
import { screen, waitFor } from "@testing-library/react";
import { expect, it } from "vitest";
import { renderConsole } from "#testing/render-console.tsx";

const PROJECT = "0190a1b2-0000-7000-8000-000000000100";
const PATH = `/api/observability/api/v1/projects/${PROJECT}`;
const project = {
  id: PROJECT,
  name: "Shop",
  access: "tenant",
  is_sharing: false,
  playground_budget: 5,
  my_role: "editor",
  retention_days: null,
  recent_traces: 1,
  last_trace_at: "2026-11-28T10:00:00.000Z",
  created_at: "2026-11-01T00:00:00.000Z",
};
const numbers = { duration_ms: 1, cost: null, input_tokens: null, output_tokens: null, time_to_first_token_ms: null };
const trace = (last: number, name: string) => ({
  id: `0190a1b2-0000-7000-8000-00000000020${last}`,
  name,
  status: "success",
  started_at: "2026-11-28T10:00:00.000Z",
  ended_at: null,
  waiting_ms: 0,
  observations: 0,
  failures: 0,
  lost_events: 0,
  comments: 0,
  thread_id: null,
  session_id: null,
  user_id: null,
  purpose: "live",
  ...numbers,
  models: [],
  input: null,
  output: null,
  environment: null,
  release: null,
  version: null,
  namespace: null,
  tags: [],
  error: null,
  scores: [],
  found: null,
});

it("shows a colleague how to connect another agent, and waits for a trace that was not there before", async () => {
  let items = [trace(1, "somebody else's")];
  renderConsole(`/projects/${PROJECT}/settings?section=connect`, {
    [`GET ${PATH}`]: project,
    [`GET ${PATH}/traces`]: () => ({ items, next_cursor: null, is_counting: false, is_cost_pending: false, search: null }),
    "GET /api/observability/api/v1/intake": {
      otlp_url: "http://localhost:8000/v1/traces",
      redis_url: "redis://localhost:6379",
      redis_needs_password: false,
      stream_name: "observability:events",
    },
  });
  expect(await screen.findByText("Waiting for your next trace…")).toBeTruthy();
  expect(screen.queryByText("somebody else's")).toBeNull();
  items = [trace(2, "mine"), ...items];
  expect(await screen.findByRole("link", { name: "mine" })).toBeTruthy();
});

it("changes what the playground may spend in a day, and refuses what is no number of dollars", async () => {
  const { user, requests } = renderConsole(`/projects/${PROJECT}/settings`, {
    [`GET ${PATH}`]: { ...project, my_role: "owner" },
    [`PATCH ${PATH}`]: { ...project, my_role: "owner", playground_budget: null },
  });
  const budget = await screen.findByRole<HTMLInputElement>("textbox", { name: "Budget of the playground" });
  expect(budget.value).toBe("5");
  await user.clear(budget);
  await user.type(budget, "much");
  expect(await screen.findByText("Fill in dollars, from 0 to 100000, or nothing")).toBeTruthy();
  await user.clear(budget);
  await user.click(screen.getByRole("button", { name: "Save" }));
  await waitFor(() => expect(requests.find(({ method }) => method === "PATCH")?.body).toMatchObject({ playground_budget: null }));
});
