// @vitest-environment happy-dom
import type { Item } from "@sightline/observability/contract";
import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { experiment } from "#features/experiments/testing/comparison.ts";
import { renderConsole } from "#testing/render-console.tsx";
import { json, refuse } from "#testing/serve.ts";

const id = (last: number) => `0190a1b2-0000-7000-8000-${String(last).padStart(12, "0")}`;
const [PROJECT, DATASET] = [id(100), id(200)];
const PROJECT_PATH = `/api/observability/api/v1/projects/${PROJECT}`;
const PATH = `${PROJECT_PATH}/datasets/${DATASET}`;

const project = {
  id: PROJECT,
  name: "Shop",
  access: "members",
  is_sharing: false,
  playground_budget: 5,
  my_role: "editor",
  retention_days: 30,
  recent_traces: 0,
  last_trace_at: null,
  created_at: "2026-11-01T00:00:00.000Z",
};
const dataset = {
  id: DATASET,
  name: "refunds",
  description: "",
  version: 2,
  items: 1,
  input_schema: null,
  expected_schema: null,
  created_by: "operator",
  created_at: "2026-11-28T10:00:00.000Z",
  changed_at: "2026-11-28T11:00:00.000Z",
};
const item: Item = {
  id: id(1),
  redacted: false,
  version: 2,
  input: "Where is my parcel?",
  expected: { answer: "Monday" },
  checks: [{ type: "tool", tool: "track", at_least: 1 }],
  metadata: { kept: true },
  split: "test",
  subject: "user-7",
  cluster: null,
  required: true,
  source: {
    trace_id: id(300),
    observation_id: id(301),
    repo: "https://example.com/acme/shop",
    commit: "4f2a",
    path: "src/policy.ts",
    line: 88,
  },
};

function open(search = "", answers = {}) {
  return renderConsole(`/projects/${PROJECT}/datasets/${DATASET}${search}`, {
    [`GET ${PROJECT_PATH}`]: project,
    [`GET ${PATH}`]: dataset,
    [`GET ${PATH}/items`]: { version: 2, items: [item], next_cursor: null },
    [`POST ${PATH}/items`]: { version: 3, items: [{ id: id(1), state: "changed" }] },
    ...answers,
  });
}

describe("the page of a dataset", () => {
  it("shows an item with its checks in words, and leads to its step and line", async () => {
    open();
    const [, row] = within(await screen.findByRole("table")).getAllByRole("row");
    expect(row?.textContent).toContain("track is called");
    expect(screen.getByRole("link", { name: "step of a trace" }).getAttribute("href")).toContain(`${id(300)}?observation=${id(301)}`);
    expect(screen.getByRole("link", { name: "policy.ts:88" }).getAttribute("href")).toBe(
      "/code/acme/shop?path=src%2Fpolicy.ts&commit=4f2a#L88",
    );
  });

  it("changes an item and keeps what is not in the form", async () => {
    const { user, requests } = open();
    await user.click(await screen.findByRole("button", { name: "Where is my parcel?" }));
    await user.clear(await screen.findByRole("textbox", { name: "Expected" }));
    await user.type(screen.getByRole("textbox", { name: "Expected" }), "It arrives on Monday.");
    await user.click(screen.getByRole("button", { name: "Save" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    const { version: _version, redacted: _redacted, ...kept } = item;
    expect(requests.find(({ method }) => method === "POST")?.body).toEqual({
      items: [{ ...kept, expected: "It arrives on Monday." }],
      reason: "",
    });
  });

  it("does not send what begins like JSON and is none", async () => {
    const { user, requests } = open();
    await user.click(await screen.findByRole("button", { name: "Where is my parcel?" }));
    await user.clear(await screen.findByRole("textbox", { name: "Input" }));
    await user.type(screen.getByRole("textbox", { name: "Input" }), "{{a");
    await user.click(screen.getByRole("button", { name: "Save" }));
    expect(await screen.findByText(/begins like JSON/)).toBeTruthy();
    expect(requests.filter(({ method }) => method === "POST")).toEqual([]);
  });

  it("says that the dataset has such an item already", async () => {
    const { user } = open("", { [`POST ${PATH}/items`]: json(200, { version: 2, items: [{ id: id(9), state: "duplicate", of: id(1) }] }) });
    await user.click(await screen.findByRole("button", { name: "Add item" }));
    await user.type(await screen.findByRole("textbox", { name: "Input" }), "Where is my parcel?");
    await user.click(screen.getByRole("button", { name: "Save" }));
    expect((await screen.findByRole("alert")).textContent).toContain("has an item of the same input");
  });

  it("shows an older version to be read only", async () => {
    const { user, requests } = open("?version=1");
    await user.click(await screen.findByRole("button", { name: "Where is my parcel?" }));
    expect(await screen.findByRole("textbox", { name: "Input" })).toHaveProperty("readOnly", true);
    expect(screen.queryByRole("button", { name: "Save" })).toBeNull();
    expect(requests.find(({ path }) => path.endsWith("/items"))?.query.get("version")).toBe("1");
  });

  it("lists its versions: what each changed, why, and by whom", async () => {
    const version = {
      version: 2,
      author: id(7),
      reason: "from a trace",
      made_at: "2026-11-28T11:00:00.000Z",
      added: 1,
      changed: 2,
      deleted: 3,
    };
    open("?show=versions", {
      [`GET ${PATH}/versions`]: { items: [version], next_cursor: null },
      "POST /api/identity/people/find": { people: [{ id: id(7), name: "Grace", email: "grace@example.com", disabled: false }] },
    });
    expect(await screen.findByText("Grace")).toBeTruthy();
    expect(screen.getByRole("row", { name: /2 \+1 ~2 −3 Changes from a trace/ })).toBeTruthy();
    expect(screen.getByRole("link", { name: "2" }).getAttribute("href")).toContain("?version=2");
  });

  it("shows the scores of finished experiments with interval and verdict, of one branch when it is chosen", async () => {
    const candidate = experiment(20, { dataset_id: DATASET });
    const means = [{ name: "exact", source: "application", mean: 0.82, low: 0.76, high: 0.87, items: 40 } as const];
    const judged = { ...candidate, means, gate: { outcome: "worse", baseline: "main", judged_at: candidate.created_at } };
    const running = { ...candidate, id: id(401), name: "goes on", state: "running" };
    const { user, router, requests } = open("?show=history", {
      [`GET ${PROJECT_PATH}/experiments`]: { items: [running, judged], next_cursor: null },
    });
    expect(await screen.findByRole("img", { name: "exact of 1 experiment; the newest 0.82 (0.76 to 0.87)" })).toBeTruthy();
    const [, row, more] = within(screen.getByRole("table")).getAllByRole("row");
    expect([row?.textContent, more]).toEqual([expect.stringContaining("worse0.82 (0.76 to 0.87)"), undefined]);
    await user.selectOptions(screen.getByRole("combobox", { name: "Branch" }), candidate.branch ?? "");
    expect(router.state.location.search).toEqual({ show: "history", branch: candidate.branch });
    await waitFor(() => expect(requests.findLast(({ path }) => path.endsWith("/experiments"))?.query.get("branch")).toBe(candidate.branch));
  });

  it("says how items get into an empty one, and that a deleted one is not here", async () => {
    open("", { [`GET ${PATH}/items`]: { version: 0, items: [], next_cursor: null } });
    expect(await screen.findByText(/From a trace/)).toBeTruthy();
    open("", { [`GET ${PATH}`]: () => refuse(404, "dataset_not_found", "There is no such dataset.") });
    expect(await screen.findByRole("heading", { name: "This dataset is not here" })).toBeTruthy();
  });

  it("imports a file as a new version, and lists the lines that are no items", async () => {
    const lines = { error: "invalid_lines", message: "1 of 2 items can't be read.", details: [{ path: "line 2", message: "is no JSON" }] };
    let tries = 0;
    const answer = { version: 3, added: 1, changed: 0, unchanged: 0, duplicates: 1, first_duplicates: [{ line: 2, of: id(1) }] };
    const { user, requests } = open("", {
      [`POST ${PATH}/items/import`]: () => ((tries += 1) === 1 ? json(400, lines) : json(200, answer)),
    });
    await user.click(await screen.findByRole("button", { name: "Import" }));
    const dialog = within(await screen.findByRole("dialog"));
    const input = document.querySelector("input[type=file]");
    expect(input).toBeInstanceOf(HTMLInputElement);
    await user.upload(input as HTMLInputElement, new File(["input\na\n"], "items.csv"));
    await user.click(dialog.getByRole("button", { name: "Import" }));
    const refused = await dialog.findByRole("alert");
    expect(refused.textContent).toContain("1 of 2 items can't be read.");
    expect(
      within(refused)
        .getAllByRole("listitem")
        .map(({ textContent }) => textContent),
    ).toEqual(["line 2: is no JSON"]);
    await user.click(dialog.getByRole("button", { name: "Import" }));
    const told = await screen.findByText("1 item added and 0 changed in version 3");
    expect(told.closest("[role=status]")?.textContent).toContain("lines 2.");
    expect(requests.findLast(({ method }) => method === "POST")?.query.get("reason")).toBe("from items.csv");
  });

  it("shows what a version changed", async () => {
    const version = { version: 2, author: "operator", reason: "", made_at: dataset.changed_at, added: 1, changed: 1, deleted: 0 };
    const changes = [
      { id: id(1), state: "changed", fields: ["expected"], before: { ...item, expected: null }, after: item },
      { id: id(2), state: "added", fields: [], before: null, after: { ...item, id: id(2), input: "new one" } },
    ];
    const { user, requests } = open("?show=versions", {
      [`GET ${PATH}/versions`]: { items: [version], next_cursor: null },
      [`GET ${PATH}/diff`]: { from: 1, to: 2, items: changes, next_cursor: null },
    });
    await user.click(await screen.findByRole("button", { name: "Changes of version 2" }));
    const [, first, second] = within(await within(await screen.findByRole("dialog")).findByRole("table")).getAllByRole("row");
    expect(first?.textContent).toBe('changedWhere is my parcel?expected: null → {"answer":"Monday"}');
    expect(second?.textContent).toBe("addednew one");
    expect(Object.fromEntries(requests.find(({ path }) => path.endsWith("/diff"))?.query ?? [])).toMatchObject({ from: "1", to: "2" });
  });
});
