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
  releases: [],
  commits: ["4f2a90d1aa"],
  sparkline: [0, 0, 2],
  where: { path: ["support", "verify"], function: "verify", file: "src/policy.ts", line: 88, repo: "acme/shop", commit: "4f2a90d1aa" },
  error: { class: "GraphRecursionError", message: "<n>" },
  step: { kind: "node", name: "verify" },
  evidence: { typical: trace(1), newest: trace(2), shortest: trace(1) },
};
const { evidence: _evidence, ...listed } = issue;

const project = {
  id: PROJECT,
  name: "support",
  created_at: AT,
  retention_days: null,
  access: "tenant",
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

  it("are closed, and become items of a dataset by their evidence", async () => {
    const dataset = { id: ID, name: "refunds", description: "", version: 0, items: 0, input_schema: null, expected_schema: null };
    const { user, requests } = open(`/issues/${ID}`, {
      [`PATCH ${PATH}/issues/${ID}`]: { ...issue, state: "closed" },
      [`POST ${PATH}/datasets`]: { ...dataset, created_by: "u", created_at: AT, changed_at: AT },
      [`POST ${PATH}/datasets/${ID}/items/from-traces`]: { version: 1, items: [{ id: ID, state: "added" }] },
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

  it("that are gone say why", async () => {
    open(`/issues/${ID}`, { [`GET ${PATH}/issues/${ID}`]: refuse(404, "issue_not_found", "There is no such issue.") });
    expect(await screen.findByText("This issue is not here")).toBeTruthy();
  });
});
