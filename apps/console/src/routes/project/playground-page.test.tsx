// @vitest-environment happy-dom
import { screen, waitFor, within } from "@testing-library/react";
import { expect, it } from "vitest";
import { renderConsole } from "#testing/render-console.tsx";

// A field that grows with its text asks when fonts are loaded, which this DOM does not know.
Object.defineProperty(document, "fonts", { value: new EventTarget() });

const id = (last: number) => `0190a1b2-0000-7000-8000-${String(last).padStart(12, "0")}`;
const PROJECT = id(100);
const PATH = `/api/observability/api/v1/projects/${PROJECT}`;
const AT = "2026-11-28T10:00:00.000Z";
const told = { author: "operator", made_at: AT, reason: "", labels: [] };
const version = {
  ...told,
  prompt_id: id(200),
  name: "support/greeting",
  version: 2,
  template: "Hello {{name}}! {{not-one}}",
  config: { model: "small-1", temperature: 0.5, top: 1 },
  variables: ["name"],
};

const END = { type: "end", problem: null, trace_id: null, duration_ms: 5, tokens: 3, cost: null };

const DATASET = id(300);
const CONNECTION = {
  id: id(1),
  name: "ours",
  provider: "openai-compatible",
  base_url: "http://x",
  has_key: false,
  created_by: "ann",
  created_at: AT,
};
const ANSWERS = {
  [`GET ${PATH}/prompts/resolve`]: version,
  [`GET ${PATH}/model-connections`]: { items: [CONNECTION], next_cursor: null },
};

it("says what a dataset takes, and makes an experiment of each variant", async () => {
  const dataset = { id: DATASET, name: "refunds", description: "", version: 1, items: 60, input_schema: null, expected_schema: null };
  const { user, requests, router } = renderConsole(`/projects/${PROJECT}/playground?prompt=support/greeting&version=2`, {
    ...ANSWERS,
    [`GET ${PATH}/datasets`]: { items: [{ ...dataset, created_by: "ann", created_at: AT, changed_at: AT }], next_cursor: null },
    [`POST ${PATH}/playground/experiments`]: ({ body }: { readonly body: { readonly is_estimate: boolean } }) => ({
      calls: 120,
      about: 0.4,
      experiment_ids: body.is_estimate ? [] : [id(401), id(402)],
    }),
  });
  await user.click(await screen.findByRole("button", { name: "Add a variant" }));
  await waitFor(() => expect(screen.getByRole<HTMLButtonElement>("button", { name: "Run over a dataset" }).disabled).toBe(false));
  await user.click(screen.getByRole("button", { name: "Run over a dataset" }));
  expect(await screen.findByText("120 calls, about $0.40")).toBeTruthy();
  await user.click(within(screen.getByRole("dialog")).getByRole("button", { name: "Run" }));
  await waitFor(() => expect(router.state.location.pathname).toContain(`/experiments/${id(402)}`));
  expect(router.state.location.search).toEqual({ baseline: id(401) });
  const sent = requests.findLast(({ method }) => method === "POST")?.body;
  const kept = { model: "small-1", prompt: "support/greeting@2", messages: [{ content: [{ text: version.template }] }] };
  expect(sent).toMatchObject({ dataset_id: DATASET, split: null, is_estimate: false, variants: [kept, kept] });
});

it("opens a version of a prompt, fills its variables, and saves it back as the next one", async () => {
  const { user, requests } = renderConsole(`/projects/${PROJECT}/playground?prompt=support/greeting&version=2`, {
    ...ANSWERS,
    [`POST ${PATH}/playground`]: () =>
      new Response(`data: ${JSON.stringify(END)}\n\n`, { headers: { "content-type": "text/event-stream" } }),
    [`POST ${PATH}/prompts`]: { ...version, version: 3, is_new: true },
  });
  await user.type(await screen.findByRole("textbox", { name: "name" }), "Ada");
  await user.click(screen.getByRole("button", { name: "Run" }));
  await user.click(await screen.findByRole("button", { name: "Save as version" }));
  await user.click(await screen.findByRole("button", { name: "Save version" }));
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  const [asked, saved] = requests.filter(({ method }) => method === "POST");
  expect(saved?.body).toMatchObject({
    name: "support/greeting",
    template: "Hello {{name}}! {{not-one}}",
    config: { model: "small-1", temperature: 0.5, top: 1 },
  });
  expect(asked?.body).toMatchObject({
    model: "small-1",
    temperature: 0.5,
    messages: [{ role: "user", content: [{ type: "text", text: "Hello Ada! {{not-one}}" }] }],
  });
});
