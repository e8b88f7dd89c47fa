// @vitest-environment happy-dom
import { parseExactly } from "@sightline/foundation/exact-json";
import { cleanup, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { traceDigest } from "#features/traces/testing/digest.ts";
import { step } from "#features/traces/testing/step.ts";
import { renderConsole } from "#testing/render-console.tsx";
import { refuse } from "#testing/serve.ts";

const id = (last: number) => `0190a1b2-0000-7000-8000-${String(last).padStart(12, "0")}`;
const [PROJECT, TRACE] = [id(100), id(200)];
const PROJECT_PATH = `/api/observability/api/v1/projects/${PROJECT}`;
const PATH = `${PROJECT_PATH}/traces/${TRACE}`;

const failed = { status: "failure", error: "The rate limit is reached." } as const;
const steps = [
  step(id(1), { name: "plan", duration: 100, run_id: TRACE, ...failed }),
  step(id(2), { name: "write", parent: id(1), kind: "llm", start: 10, duration: 40, model: "small-1", run_id: TRACE, ...failed }),
  step(id(3), { name: "publish", start: 100, run_id: TRACE }),
];
const digest = traceDigest(TRACE, {
  project_id: PROJECT,
  status: "failure",
  error: failed.error,
  input: "Where is my parcel?",
  attributes: {
    metadata: { customer: "acme: north", notes: "n".repeat(100), nested: { seats: 3 } },
    "otel.resource": { team: "emea", tier: parseExactly("1.10"), "process.pid": 7 },
  },
  environment: "production",
  version: "1.4.2",
  tags: ["beta", "to review"],
  added_tags: ["to review"],
});

const project = {
  id: PROJECT,
  name: "support",
  created_at: "2027-01-01T00:00:00.000Z",
  retention_days: null,
  access: "tenant",
  is_sharing: false,
  playground_budget: 5,
  my_role: "owner",
  recent_traces: 1,
  last_trace_at: null,
};

const stack = {
  repo: "github.com/acme/agent",
  commit: "5f0c7e2b1d4a8896f3c2b7a1e0d9c8b7a6f5e4d3",
  errors: [
    {
      frames: [
        { file: "/app/node_modules/x/http.js", line: 9, function: "request" },
        { file: "src/write.ts", line: 42, function: "writeReply", own: true },
      ],
    },
    { relation: "cause", of: 0, type: "SocketError", message: "other side closed", frames: [{ file: "src/net.ts", line: 7, own: true }] },
  ],
};

function open(search = "", answers = {}) {
  return renderConsole(`/projects/${PROJECT}/traces/${TRACE}${search}`, {
    [`GET ${PATH}/summary`]: digest,
    [`GET ${PATH}/steps`]: { items: steps, total: 3, next_cursor: null, revision: "1", truncated: false },
    [`GET ${PATH}/observations/${id(2)}`]: { ...steps[1], input: "Write a reply.", output: null, reasoning: null, attributes: {}, stack },
    ...answers,
  });
}

const tree = () => screen.findByRole("tree");
const names = async () =>
  within(await tree())
    .getAllByRole("treeitem")
    .map((row) => row.textContent);

describe("the page of a trace", () => {
  it("shows its steps as a tree, and what is known of the trace beside it", async () => {
    open();
    expect(await screen.findByText("Where is my parcel?")).toBeTruthy();
    expect(await names()).toEqual([/support/, /plan/, /write/, /publish/].map((name) => expect.stringMatching(name)));
  });

  it("shows why it failed where its output would be, of the trace and of a step", async () => {
    const { user } = open();
    const outputOf = async () => (await screen.findByRole("heading", { name: "Output" })).closest("section")?.textContent;
    expect(await outputOf()).toContain(failed.error);
    await user.click(await screen.findByRole("treeitem", { name: /write/ }));
    await screen.findByText("Write a reply.");
    expect(await outputOf()).toContain(failed.error);
  });

  it("leads from a call to the version of the prompt that it ran, unless that is gone", async () => {
    const prompt = "support/reply@2";
    const ran = {
      [`GET ${PATH}/steps`]: { items: [{ ...steps[1], prompt }], total: 1, next_cursor: null, revision: "1", truncated: false },
    };
    const version = { prompt_id: id(9), name: "support/reply", version: 2, author: "operator", reason: "", made_at: project.created_at };
    const resolved = { ...version, labels: [], template: "", config: {}, variables: [] };
    open(`?observation=${id(2)}`, { ...ran, [`GET ${PROJECT_PATH}/prompts/resolve`]: resolved });
    const link = await screen.findByRole("link", { name: prompt });
    expect(link.getAttribute("href")).toBe(`/projects/${PROJECT}/prompts/${id(9)}?version=2`);
    cleanup();
    open(`?observation=${id(2)}`, { ...ran, [`GET ${PROJECT_PATH}/prompts/resolve`]: refuse(404, "prompt_not_found", "It is gone.") });
    expect(await screen.findByText(prompt)).toBeTruthy();
    expect(screen.queryByRole("link", { name: prompt })).toBeNull();
  });

  it("shows the values of a step that is chosen, and keeps it in the address", async () => {
    const { user, router } = open();
    await user.click(await screen.findByRole("treeitem", { name: /write/ }));
    expect(await screen.findByText("Write a reply.")).toBeTruthy();
    expect(router.state.location.search).toMatchObject({ observation: id(2) });
  });

  it("shows from where a failure came, the application's calls linked to the code at their commit, those of libraries folded", async () => {
    open();
    const link = await screen.findByRole("link", { name: "src/write.ts:42" });
    expect(link.getAttribute("href")).toBe(`/code/acme/agent?path=src%2Fwrite.ts&commit=${stack.commit}#L42`);
    expect(screen.getByText("1 call of libraries").closest("details")?.open).toBe(false);
    expect(screen.getByText("SocketError: other side closed")).toBeTruthy();
    expect(screen.getByRole("link", { name: "src/net.ts:7" })).toBeTruthy();
  });

  it("shows only the steps that are searched for, with those around them", async () => {
    const { user } = open();
    await tree();
    await user.type(screen.getByRole("textbox", { name: /find/i }), "publish");
    await waitFor(() => expect(screen.queryByRole("treeitem", { name: /write/ })).toBeNull());
    expect(screen.getByRole("treeitem", { name: /publish/ })).toBeTruthy();
  });

  it("says of a cost that it is the reported one, and of another what was reported", async () => {
    const costs = (cost: number) => ({
      [`GET ${PATH}/steps`]: {
        items: steps.map((each) => (each.id === id(2) ? { ...each, cost, reported_cost: 0.0042 } : each)),
        total: 3,
        next_cursor: null,
        revision: "1",
        truncated: false,
      },
    });
    open(`?observation=${id(2)}`, costs(0.0042));
    expect((await screen.findByText("(reported)")).closest("dd")?.textContent).toBe("$0.0042 (reported)");
    open(`?observation=${id(2)}`, costs(0.005));
    expect(await screen.findByText("($0.0042 reported)")).toBeTruthy();
  });

  it("says that the values of a step could not be loaded, and still shows what the tree knows", async () => {
    open(`?observation=${id(2)}`, { [`GET ${PATH}/observations/${id(2)}`]: () => refuse(400, "bad", "The store is away.") });
    expect((await screen.findByText("Its values could not be loaded")).closest("[role=alert]")?.textContent).toContain(
      "The store is away.",
    );
    expect(screen.getAllByText("small-1").length).toBeGreaterThan(0);
  });

  it("says under its title what it is grouped and found by, each a link to the list of all that have it", async () => {
    open();
    const linked = async (name: string) => {
      const link = await screen.findByRole("link", { name });
      return new URLSearchParams(link.getAttribute("href")?.split("?")[1]).get("q");
    };
    expect(await linked("production")).toBe("environment:production");
    expect(await linked("1.4.2")).toBe("version:1.4.2");
    expect(await linked("to review")).toBe('tag:"to review"');
    expect(await linked("acme: north")).toBe('metadata.customer:"acme: north"');
    expect(await linked("1.10")).toBe("resource.tier:1.10");
    expect(await linked("emea")).toBe("resource.team:emea");
    expect(screen.queryByRole("link", { name: "7" })).toBeNull();
    expect(screen.getByText(`${"n".repeat(80)}…`)).toBeTruthy();
    expect(screen.queryByRole("button", { name: "Edit tags" })).toBeNull();
  });

  it("lets editors change the tags that people added, and score it; owners delete it", async () => {
    const { user, router, requests } = open("", {
      [`GET ${PATH.replace(/\/traces.*/, "")}`]: project,
      [`POST ${PATH.replace(TRACE, "tag")}`]: { traces: 1 },
      [`POST ${PATH.replace(TRACE, "delete")}`]: { traces: 1 },
    });
    const bodies = () => requests.flatMap(({ method, body }) => (method === "POST" ? [body] : []));
    await user.click(await screen.findByRole("button", { name: "Edit tags" }));
    await user.type(within(await screen.findByRole("dialog")).getByLabelText("Tags", { selector: "input" }), "{Backspace}done{Enter}");
    await user.click(screen.getByRole("button", { name: "Save tags" }));
    await waitFor(() => expect(bodies()).toContainEqual({ trace_ids: [TRACE], add: ["done"], remove: ["to review"] }));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    await user.click(screen.getByRole("button", { name: "More actions" }));
    expect(await screen.findByRole("menuitem", { name: "Score…" })).toBeTruthy();
    await user.click(screen.getByRole("menuitem", { name: "Delete…" }));
    await user.click(await screen.findByRole("button", { name: "Delete 1 trace" }));
    await waitFor(() => expect(router.state.location.pathname).toBe(`/projects/${PROJECT}/traces`));
    expect(bodies()).toContainEqual({ trace_ids: [TRACE] });
  });

  it("says that a trace is not here, and leads back to its project", async () => {
    open("", { [`GET ${PATH}/summary`]: () => refuse(404, "trace_not_found", "There is no such trace.") });
    expect(await screen.findByRole("heading", { name: "This trace is not here" })).toBeTruthy();
    expect(screen.getByRole("link", { name: "Traces of the project" }).getAttribute("href")).toBe(`/projects/${PROJECT}/traces`);
  });

  it("offers to try again what could not be loaded", async () => {
    let fails = true;
    const { user } = open("", { [`GET ${PATH}/summary`]: () => (fails ? refuse(400, "bad", "The store is away.") : digest) });
    expect((await screen.findByRole("alert")).textContent).toContain("The store is away.");
    fails = false;
    await user.click(screen.getByRole("button", { name: "Try again" }));
    expect(await tree()).toBeTruthy();
  });
});
