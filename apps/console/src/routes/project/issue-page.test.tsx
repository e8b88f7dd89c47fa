// @vitest-environment happy-dom
import { screen, waitFor, within } from "@testing-library/react";
import type { IssueDetail, IssueTrace } from "@sightline/observability/contract";
import { describe, expect, it } from "vitest";
import { renderConsole } from "#testing/render-console.tsx";
import { refuse } from "#testing/serve.ts";

const PROJECT = "0190a1b2-0000-7000-8000-000000000100";
const PATH = `/api/observability/api/v1/projects/${PROJECT}`;
const ID = "0190a1b2-0000-7000-8000-000000000200";
const AT = "2026-11-28T08:00:00.000Z";

const trace = (last: number): IssueTrace => ({
  trace_id: `0190a1b2-0000-7000-8000-00000000030${last}`,
  seen_at: AT,
  name: `support ${last}`,
  error: "GraphRecursionError: 25",
  step_id: null,
  duration_ms: 1_200,
  steps: 9,
  release: null,
  commit: "4f2a90d1aa",
  user_id: null,
  line: 88,
});

const issue: IssueDetail = {
  id: ID,
  title: "GraphRecursionError in verify",
  state: "open",
  ignored_until: null,
  closed_at: null,
  closed_at_commit: null,
  reopened_at: AT,
  assignee: null,
  tracker_url: null,
  count: 2,
  first_seen: AT,
  last_seen: AT,
  users: 1,
  merged: 0,
  releases: [],
  commits: ["4f2a90d1aa"],
  sparkline: [0, 0, 2],
  where: { path: ["support", "verify"], function: "verify", file: "src/policy.ts", line: 88, repo: "acme/shop", commit: "4f2a90d1aa" },
  error: { class: "GraphRecursionError", message: "<n>" },
  step: { kind: "node", name: "verify" },
  first_where: { repo: "github.com/acme/shop", commit: "4f2a90d1aa", file: "src/policy.ts", line: 5 },
  evidence: { typical: trace(1), newest: trace(2), shortest: trace(1) },
};
const { evidence: _evidence, first_where: _first, ...listed } = issue;

const REPO = `/api/code-index/api/v1/repos/${ID}`;
const repository = {
  id: ID,
  full_name: "acme/shop",
  clone_url: "https://git.example/acme/shop.git",
  default_branch: "main",
  index_status: "ready",
  indexed_commit: "c0ffee",
  indexed_at: AT,
  behind: 0,
  files: 2,
  chunks: 2,
  refs: [],
  legs: { semantic: { state: "ready" }, bm25: { state: "ready" }, exact: { state: "ready" } },
  branches: [],
  include: [],
  exclude: [],
  credential_id: null,
  has_webhook_secret: false,
  last_error: null,
  created_at: AT,
};

const project = {
  id: PROJECT,
  name: "support",
  created_at: AT,
  retention_days: null,
  access: "tenant",
  is_sharing: false,
  playground_budget: 5,
  my_role: "editor",
  recent_traces: 1,
  last_trace_at: AT,
};

function open(path: string, answers = {}) {
  return renderConsole(`/projects/${PROJECT}${path}`, {
    [`GET ${PATH}`]: project,
    [`GET ${PATH}/issues`]: { items: [listed], next_cursor: null },
    [`GET ${PATH}/issues/${ID}`]: issue,
    [`GET ${PATH}/issues/${ID}/traces`]: { items: [trace(2), trace(1)], next_cursor: null },
    [`GET ${PATH}/datasets`]: { items: [], next_cursor: null },
    ...answers,
  });
}

describe("issues", () => {
  it("are listed with where they arise, that they came back, and how often they were seen; the filter is in the address", async () => {
    const { user, router, requests } = open("/issues");
    const [, row] = within(await screen.findByRole("table")).getAllByRole("row");
    expect(row?.textContent).toContain("GraphRecursionError in verifysupport › verify · verify · policy.ts:88 · came back");
    expect(within(row as HTMLElement).getByRole("img", { name: "2 traces in 3 days, at most 2 a day" })).toBeTruthy();
    await user.click(screen.getByRole("radio", { name: "Closed" }));
    expect(router.state.location.search).toEqual({ state: "closed" });
    await waitFor(() => expect(requests.findLast((request) => request.path.endsWith("/issues"))?.query.get("state")).toBe("closed"));
  });

  it("lead to their line and traces, of which the ones worth reading say why", async () => {
    open(`/issues/${ID}`);
    expect((await screen.findByRole("link", { name: "src/policy.ts:88" })).getAttribute("href")).toContain(
      "/code/acme/shop?path=src%2Fpolicy.ts",
    );
    const rows = within(await screen.findByRole("table")).getAllByRole("row");
    expect(rows[1]?.textContent).toContain("support 2 · newest");
    expect(rows[2]?.textContent).toContain("support 1 · typical, shortest");
  });

  it("show the line that the first trace ran, and who changed it before that", async () => {
    const change = {
      repo: "acme/shop",
      commit: "4f2a1bc000",
      parents: [],
      author: "Ann",
      author_email: "a@b.example",
      subject: "Verify twice",
    };
    const at = { repo: "acme/shop", ref: "main", commit: "4f2a90d1aa", path: "src/policy.ts", total_lines: 9 };
    const { requests } = open(`/issues/${ID}`, {
      "GET /api/code-index/api/v1/repos": { items: [repository], next_cursor: null },
      [`GET ${REPO}/file`]: {
        ...at,
        language: "typescript",
        start_line: 2,
        end_line: 8,
        truncated: false,
        content: "b\nc\nd\nverify()\nf\ng\nh\n",
      },
      [`GET ${REPO}/blame`]: {
        ...at,
        ranges: [{ start_line: 5, end_line: 5, commit: change.commit, path: at.path, original_line: 5 }],
        commits: [{ ...change, authored_at: "2026-11-26T07:00:00.000Z", committed_at: "2026-11-26T07:00:00.000Z" }],
        notes: [],
      },
    });
    const line = await screen.findByRole("region", { name: "Line" });
    await waitFor(() => expect(line.textContent).toContain("Changed in 4f2a1bc by Ann, 2 days before it was first seen: Verify twice"));
    // Colors divide the line into several elements as soon as they are there.
    expect(line.querySelector("[data-target]")?.textContent).toBe("5verify()");
    const asked = requests.filter(({ path }) => path.startsWith(REPO)).map(({ query }) => Object.fromEntries(query));
    expect(asked).toContainEqual({ path: "src/policy.ts", commit: "4f2a90d1aa", start: "2", end: "8" });
    expect(asked).toContainEqual({ path: "src/policy.ts", commit: "4f2a90d1aa", start: "5", end: "5" });
  });

  it("are as they are without an index of the code", async () => {
    open(`/issues/${ID}`, { "GET /api/code-index/api/v1/repos": { items: [], next_cursor: null } });
    expect(await screen.findByRole("table")).toBeTruthy();
    expect(screen.queryByRole("region", { name: "Line" })).toBeNull();
  });

  it("are closed, and become items of a dataset by their evidence", async () => {
    const dataset = { id: ID, name: "refunds", description: "", version: 0, items: 0, input_schema: null, expected_schema: null };
    const { user, requests } = open(`/issues/${ID}`, {
      [`PATCH ${PATH}/issues/${ID}`]: { ...issue, state: "closed" },
      [`POST ${PATH}/datasets`]: { ...dataset, created_by: "u", created_at: AT, changed_at: AT },
      [`POST ${PATH}/datasets/${ID}/items/from-traces`]: { version: 1, items: [{ id: ID, state: "added" }], matching: 2 },
    });
    await user.click(await screen.findByRole("button", { name: "Add to dataset" }));
    await user.type(await screen.findByRole("textbox", { name: "Name of the new dataset" }), "refunds");
    await user.click(screen.getByRole("button", { name: "Add" }));
    await screen.findByText("1 item added in version 1.");
    expect(requests.find(({ path }) => path.endsWith("/from-traces"))?.body).toMatchObject({
      issue_id: ID,
      traces: [{ trace_id: trace(1).trace_id }, { trace_id: trace(2).trace_id }],
    });
    await user.click(screen.getByRole("button", { name: "Done" }));
    await user.click(screen.getByRole("button", { name: "Close" }));
    await waitFor(() => expect(requests.find(({ method }) => method === "PATCH")?.body).toEqual({ state: "closed" }));
  });

  it("are split where they were merged, by a trace, and lead to what was split off", async () => {
    const other = ID.replace(/200$/u, "201");
    const { user, router, requests } = open(`/issues/${ID}`, {
      [`GET ${PATH}/issues/${ID}`]: { ...issue, merged: 1 },
      [`POST ${PATH}/issues/${ID}/split`]: { ...issue, id: other },
      [`GET ${PATH}/issues/${other}`]: { ...issue, id: other },
      [`GET ${PATH}/issues/${other}/traces`]: { items: [], next_cursor: null },
    });
    await user.click(await screen.findByRole("button", { name: "Split off what fails as support 1 does" }));
    await waitFor(() => expect(router.state.location.pathname).toContain(other));
    expect(requests.find(({ path }) => path.endsWith("/split"))?.body).toEqual({ trace_id: trace(1).trace_id });
  });

  it("that are gone say why", async () => {
    open(`/issues/${ID}`, { [`GET ${PATH}/issues/${ID}`]: refuse(404, "issue_not_found", "There is no such issue.") });
    expect(await screen.findByText("This issue is not here")).toBeTruthy();
  });
});
