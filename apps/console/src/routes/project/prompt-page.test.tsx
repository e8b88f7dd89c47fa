// @vitest-environment happy-dom
import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { renderConsole } from "#testing/render-console.tsx";
import { refuse } from "#testing/serve.ts";

const id = (last: number) => `0190a1b2-0000-7000-8000-${String(last).padStart(12, "0")}`;
const [PROJECT, PROMPT] = [id(100), id(200)];
const PROJECT_PATH = `/api/observability/api/v1/projects/${PROJECT}`;
const PATH = `${PROJECT_PATH}/prompts/${PROMPT}`;
const AT = "2026-11-28T10:00:00.000Z";

const project = {
  id: PROJECT,
  name: "Shop",
  access: "members",
  is_sharing: false,
  playground_budget: 5,
  my_role: "owner",
  retention_days: 30,
  recent_traces: 0,
  last_trace_at: null,
  created_at: AT,
};
const prompt = {
  id: PROMPT,
  name: "support/greeting",
  version: 2,
  labels: { production: 1 },
  created_by: "operator",
  created_at: AT,
  changed_at: AT,
};
const told = { author: "operator", made_at: AT };
const versions = [
  { ...told, version: 2, reason: "shorter", labels: [] },
  { ...told, version: 1, reason: "", labels: ["production"] },
];
const templates = ["Hello {{name}}, welcome to {{shop}}!", "Hello {{name}}!"];
const versionOf = (number: number) => ({
  ...versions[2 - number],
  prompt_id: PROMPT,
  name: prompt.name,
  template: templates[number - 1],
  config: {},
  variables: [],
});
const used = {
  version: 1,
  traces: 12,
  calls: 20,
  failed_calls: 1,
  tokens: 900,
  cost: null,
  mean_duration_ms: 40,
  scores: [{ name: "helpful", source: "person", mean: 0.5, count: 3 }],
};

function open(search = "", answers = {}) {
  return renderConsole(`/projects/${PROJECT}/prompts/${PROMPT}${search}`, {
    [`GET ${PROJECT_PATH}`]: project,
    [`GET ${PATH}`]: prompt,
    [`GET ${PATH}/versions`]: { items: versions, next_cursor: null },
    [`GET ${PATH}/usage`]: { items: [used], next_cursor: null },
    [`GET ${PROJECT_PATH}/prompts/resolve`]: ({ query }: { readonly query: URLSearchParams }) => versionOf(Number(query.get("version"))),
    [`POST ${PROJECT_PATH}/prompts`]: { ...versionOf(2), version: 3, is_new: true },
    [`PUT ${PATH}/labels`]: { ...prompt, labels: { production: 2 } },
    ...answers,
  });
}

describe("the page of a prompt", () => {
  it("shows the newest version, and saves the next with what was not changed", async () => {
    const { user, requests } = open();
    expect((await screen.findByText("{{name}}")).tagName).toBe("MARK");
    await user.click(screen.getByRole("button", { name: "New version" }));
    const text = await screen.findByRole("textbox", { name: "Text" });
    await user.clear(text);
    await user.type(text, "Hi {{{{first_name}}, of {{{{shop}}!");
    expect(screen.getByText("Variables: {{first_name}}, {{shop}}")).toBeTruthy();
    await user.type(screen.getByRole("textbox", { name: "Why" }), "kinder");
    await user.click(screen.getByRole("button", { name: "Save version" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    expect(requests.find(({ method }) => method === "POST")?.body).toEqual({
      name: "support/greeting",
      template: "Hi {{first_name}}, of {{shop}}!",
      config: {},
      reason: "kinder",
    });
  });

  it("sends no config that is no JSON object", async () => {
    const { user, requests } = open();
    await user.click(await screen.findByRole("button", { name: "New version" }));
    await user.type(await screen.findByRole("textbox", { name: "Config" }), "no");
    await user.click(screen.getByRole("button", { name: "Save version" }));
    expect(await screen.findByText("Write a JSON object.")).toBeTruthy();
    expect(requests.filter(({ method }) => method === "POST")).toEqual([]);
  });

  it("moves production, and says where it was", async () => {
    const { user, requests } = open("?show=versions");
    await user.click(await screen.findByRole("button", { name: "Label version 2" }));
    expect(await screen.findByText(/Now on version 1/)).toBeTruthy();
    await user.click(screen.getByRole("button", { name: "Set label" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    expect(requests.find(({ method }) => method === "PUT")?.body).toEqual({ label: "production", version: 2 });
  });

  it("says why a label was not moved", async () => {
    const { user } = open("?show=versions", { [`PUT ${PATH}/labels`]: refuse(403, "role_missing", "Only an owner may do this.") });
    await user.click(await screen.findByRole("button", { name: "Label version 2" }));
    await user.click(await screen.findByRole("button", { name: "Set label" }));
    expect((await screen.findByRole("alert")).textContent).toContain("Only an owner may do this.");
  });

  it("shows what a version changed, and leads from its usage to the traces", async () => {
    const { user } = open("?show=changes");
    expect((await screen.findByText(/A is version 1, B is version 2/)).textContent).toBeTruthy();
    expect(await screen.findByText(", welcome to {{shop}}")).toBeTruthy();
    await user.click(screen.getByRole("tab", { name: "Usage" }));
    const [, row] = within(await screen.findByRole("table")).getAllByRole("row");
    expect(row?.textContent).toContain("helpful 0.50 (3 by person)");
    const traces = new URL(screen.getByRole("link", { name: "12 traces of version 1" }).getAttribute("href") ?? "", "http://console.test");
    expect(traces.searchParams.get("q")).toBe("prompt:support/greeting@1");
  });

  it("says that it is gone", async () => {
    open("", { [`GET ${PATH}`]: refuse(404, "prompt_not_found", "There is no such prompt.") });
    expect(await screen.findByRole("heading", { name: "This prompt is not here" })).toBeTruthy();
  });
});
