// @vitest-environment happy-dom
import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { comparedItem, comparedScore, comparison } from "#features/experiments/testing/comparison.ts";
import { renderConsole } from "#testing/render-console.tsx";
import { refuse } from "#testing/serve.ts";

const { candidate, baseline } = comparison();
const PROJECT = "0190a1b2-0000-7000-8000-000000000100";
const PATH = `/api/observability/api/v1/projects/${PROJECT}/experiments`;

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
  created_at: "2026-11-28T10:00:00.000Z",
};

function open(search = "", answers = {}) {
  return renderConsole(`/projects/${PROJECT}/experiments/${candidate.id}${search}`, {
    [`GET ${PATH}`]: { items: [candidate, ...baseline], next_cursor: null },
    [`GET ${PATH}/${candidate.id}/comparison`]: comparison(),
    [`GET ${PATH}/${candidate.id}/items`]: { items: [comparedItem(21)], next_cursor: null },
    ...answers,
  });
}

describe("the page of an experiment", () => {
  it("names candidate and baseline, and says the verdict of each score in words", async () => {
    const same = comparedScore({ name: "tone", difference: { verdict: "same", value: 0.01, low: -0.02, high: 0.04 } });
    open("", { [`GET ${PATH}/${candidate.id}/comparison`]: comparison({ scores: [comparedScore({}), same] }) });
    const compared = await screen.findByRole("region", { name: "What is compared" });
    expect(compared.textContent).toContain(candidate.name);
    expect(within(compared).getByRole("link", { name: baseline[0]?.name ?? "" })).toBeTruthy();
    const [, better, equal] = within(screen.getByRole("table")).getAllByRole("row");
    expect(better?.textContent).toContain("Better9 better, 1 worse of 40 items");
    expect(within(better as HTMLElement).getByRole("img", { name: "+0.20, between +0.10 and +0.30" })).toBeTruthy();
    expect(equal?.textContent).toContain("The same within ±0.10");
  });

  it("is cancelled by editors while it runs", async () => {
    const { user, requests } = open("", {
      [`GET ${PATH.replace("/experiments", "")}`]: project,
      [`GET ${PATH}/${candidate.id}/comparison`]: comparison({ candidate: { ...candidate, state: "running" } }),
      [`POST ${PATH}/${candidate.id}/finish`]: { ...candidate, state: "cancelled" },
    });
    await user.click(await screen.findByRole("button", { name: "Cancel" }));
    await waitFor(() => expect(requests.find(({ method }) => method === "POST")?.body).toEqual({ state: "cancelled" }));
  });

  it("shows runs as they come", async () => {
    let done = 0;
    const runs = () => ({ succeeded: done, failed: 0, missing: 0, unchecked: 0 });
    const { router } = open("", {
      [`GET ${PATH}/${candidate.id}/comparison`]: () => comparison({ candidate: { ...candidate, state: "running", runs: runs() } }),
      [`GET ${PATH}/${candidate.id}/items`]: () => ({ items: done === 0 ? [] : [comparedItem(21)], next_cursor: null }),
    });
    await screen.findByText("No runs yet: each is shown here as soon as it is reported.");
    done = 1;
    await router.options.context.queries.invalidateQueries({ queryKey: ["projects", PROJECT, "experiments", candidate.id, "comparison"] });
    expect(await screen.findByRole("list", { name: "Items" })).toBeTruthy();
  });

  it("shows both outputs of an item, its score in both, and leads to its traces", async () => {
    open();
    const item = within(await screen.findByRole("list", { name: "Items" })).getAllByRole("listitem")[0] as HTMLElement;
    expect(item.textContent).toContain("exact_match 1 → 0 worse");
    expect(["Baseline's output", "Candidate's output"].map((name) => within(item).getByRole("group", { name }).textContent)).toEqual([
      "On Monday",
      "On Friday",
    ]);
    expect(within(item).getAllByRole("link", { name: "trace" })).toHaveLength(3);
    expect(within(item).getByRole("link", { name: "Compare the traces" }).getAttribute("href")).toContain("?a=");
  });

  it("shows numbers in outputs as they were written", async () => {
    const item = comparedItem(21);
    const [run] = item.candidate.runs;
    const runs = run === undefined ? [] : [{ ...run, output: '{"order":12345678901234567890,"price":1.10}' }];
    open("", {
      [`GET ${PATH}/${candidate.id}/items`]: { items: [{ ...item, candidate: { ...item.candidate, runs } }], next_cursor: null },
    });
    const shown = await screen.findByRole("group", { name: "Candidate's output" });
    expect(shown.textContent).toMatch(/"order": 12345678901234567890,\s+"price": 1\.10/u);
  });

  it("keeps the filter of items in the address, and asks for them by it and by the baseline", async () => {
    const { user, router, requests } = open(`?baseline=main`);
    await user.click(await screen.findByRole("radio", { name: "Worse" }));
    expect(router.state.location.search).toEqual({ baseline: "main", only: "worse" });
    await waitFor(() => {
      const last = requests.findLast(({ path }) => path.endsWith("/items"));
      expect(Object.fromEntries(last?.query ?? [])).toEqual({ baseline: "main", only: "worse", score: "exact_match", limit: "50" });
    });
  });

  it("judges items by the score that most became worse by, until another is chosen", async () => {
    const scores = [comparedScore({ name: "checks", difference: { worsened: 0 } }), comparedScore({ difference: { worsened: 5 } })];
    const { user, router, requests } = open("", { [`GET ${PATH}/${candidate.id}/comparison`]: comparison({ scores }) });
    const judge = await screen.findByRole("combobox", { name: "Score that items are judged by" });
    expect(requests.findLast(({ path }) => path.endsWith("/items"))?.query.get("score")).toBe("exact_match");
    await user.selectOptions(judge, "checks");
    expect(router.state.location.search).toEqual({ score: "checks" });
  });

  it("compares with the branch that is chosen", async () => {
    const { user, router } = open();
    await user.click(await screen.findByRole("combobox", { name: "Baseline" }));
    await user.click(await screen.findByRole("option", { name: "main" }));
    expect(router.state.location.search).toEqual({ baseline: "main" });
  });

  it("says that there is nothing to compare with, and offers no filter that needs it", async () => {
    open("", {
      [`GET ${PATH}/${candidate.id}/comparison`]: comparison({
        baseline: [],
        scores: [{ ...comparedScore({}), baseline: null, difference: null }],
      }),
    });
    expect(await screen.findByText("No baseline is chosen.")).toBeTruthy();
    expect(screen.getByRole("radio", { name: "Worse" })).toHaveProperty("disabled", true);
    expect(screen.queryByRole("columnheader", { name: "Verdict" })).toBeNull();
  });

  it("says where failing items begin to go another way, and names each node that changed, with its line in both commits", async () => {
    const place = { repo: "github.com/acme/shop", commit: "b".repeat(40), path: "src/policy.ts", line: 88 };
    const node = { path: "agent › verify", kind: "node", aspect: "edge", what: "refund", candidate_place: place };
    const baselinePlace = { ...place, commit: "a".repeat(40), line: 80 };
    open("?baseline=main", {
      [`GET ${PATH}/${candidate.id}/nodes`]: {
        nodes: [
          {
            ...node,
            baseline_place: baselinePlace,
            baseline: 0,
            candidate: 0.225,
            value: 0.225,
            low: 0.1,
            high: 0.35,
            items: 40,
            stands_out: true,
          },
        ],
        first_divergence: { ...node, baseline_place: baselinePlace, now: ["refund"], before: ["ask"], items: 9, failing: 9 },
        runs: { candidate: 40, baseline: 40 },
        unknown: { candidate: 0, baseline: 2 },
        is_repeated: false,
      },
    });
    const section = await screen.findByRole("region", { name: "Nodes" });
    await within(section).findByText(
      /Begins at src\/policy\.ts:88: edge verify → refund instead of verify → ask .* in 9 of 9 failing items/,
    );
    expect(section.textContent).toContain("2 runs left out");
    const [, row] = within(section).getAllByRole("row");
    expect(row?.textContent).toContain("leads to refund");
    expect(row?.textContent).toContain("stands out");
    expect(
      within(row as HTMLElement)
        .getByRole("link", { name: "what changed" })
        .getAttribute("href"),
    ).toContain("base=aaaa");
  });

  it("says that it is not here", async () => {
    open("", { [`GET ${PATH}/${candidate.id}/comparison`]: () => refuse(404, "experiment_not_found", "There is no such experiment.") });
    expect(await screen.findByRole("heading", { name: "This experiment is not here" })).toBeTruthy();
  });
});
