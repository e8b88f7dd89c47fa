// @vitest-environment happy-dom
import { screen, waitFor } from "@testing-library/react";
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

it("opens a version of a prompt, fills its variables, and saves it back as the next one", async () => {
  const { user, requests } = renderConsole(`/projects/${PROJECT}/playground?prompt=support/greeting&version=2`, {
    [`GET ${PATH}/prompts/resolve`]: version,
    [`GET ${PATH}/model-connections`]: {
      items: [
        { id: id(1), name: "ours", provider: "openai-compatible", base_url: "http://x", has_key: false, created_by: "ann", created_at: AT },
      ],
      next_cursor: null,
    },
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
