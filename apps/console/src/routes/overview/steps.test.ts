import { describe, expect, test } from "vitest";
import { type QueryResult, type Step, expectedSteps, isOpen, findNextStep, listSteps } from "./steps.ts";

type Answers = Parameters<typeof listSteps>[0];

const found = <Data>(data: Data): QueryResult<Data> => ({ data, error: null });
const pending = { data: undefined, error: null };
const failed = { data: undefined, error: new Error("no answer") };

const EMPTY: Answers = {
  isAdmin: true,
  factors: [],
  repositories: found([]),
  assistants: found([]),
  projects: found([]),
};

function steps(answers: Partial<Answers>): readonly Step[] {
  return listSteps({ ...EMPTY, ...answers }) ?? [];
}

function one(id: Step["id"], answers: Partial<Answers>): Step | undefined {
  return steps(answers).find((step) => step.id === id);
}

describe("the first steps", () => {
  test("are expected as far as they are known, and else not begun, so that their place is as tall as they are", () => {
    const answers: Answers = { ...EMPTY, factors: ["totp"], repositories: pending, assistants: failed };
    expect(listSteps(answers)).toBeUndefined();
    expect(expectedSteps(answers).map(({ id, state }) => [id, state])).toEqual([
      ["second_factor", "done"],
      ["repository", "todo"],
      ["assistant", "unknown"],
      ["agent", "todo"],
    ]);
  });

  test("are all to do in an empty product, in their order, each with where it is done", () => {
    expect(steps({}).map(({ id, state }) => [id, state])).toEqual([
      ["second_factor", "todo"],
      ["repository", "todo"],
      ["assistant", "todo"],
      ["agent", "todo"],
    ]);
    expect(steps({}).map(({ action }) => [action?.link.to, action?.link.search])).toEqual([
      ["/admin/security", { setup: "1" }],
      ["/code/repos", { register: "1" }],
      ["/code/connect", undefined],
      ["/projects", { new: "1" }],
    ]);
  });

  test("are not shown before everything was asked", () => {
    expect(listSteps({ ...EMPTY, assistants: pending })).toBeUndefined();
  });

  test("of a member are those that a member can do, whatever admins may ask", () => {
    expect(steps({ isAdmin: false, repositories: failed }).map(({ id }) => id)).toEqual(["assistant", "agent"]);
  });

  test("are not ticked by what the demo made", () => {
    const demo = {
      repositories: found([{ id: "1", full_name: "demo/sightline", index_status: "ready" as const, indexed_commit: "0".repeat(40) }]),
      projects: found([{ id: "2", name: "Demo", last_trace_at: "2026-11-29T08:00:00.000Z" }]),
    };
    expect(steps(demo)).toEqual(steps({}));
  });

  test("that are not known are not to do", () => {
    const repository = one("repository", { repositories: failed });
    expect(repository).toMatchObject({ state: "unknown" });
    expect(repository?.action).toBeUndefined();
    expect(steps({ repositories: failed }).filter(isOpen)).toHaveLength(3);
  });
});

describe("a step ticks itself when", () => {
  const repository = { id: "r", full_name: "acme/shop", index_status: "indexing", indexed_commit: null } as const;
  const token = { label: "Laptop", last_used_at: null, revoked_at: null };
  const project = { id: "p", name: "Agent", last_trace_at: null };
  const now = "2026-11-22T10:00:00.000Z";

  test("a repository is searchable, and not before", () => {
    const states = (status: "pending" | "indexing" | "failed") =>
      one("repository", { repositories: found([{ ...repository, index_status: status }]) });
    expect(states("pending")).toMatchObject({ state: "todo", action: { label: "Index" } });
    expect(states("indexing")).toMatchObject({ state: "waiting" });
    expect(states("failed")).toMatchObject({ state: "todo", action: { label: "See why" } });
    const indexed = { ...repository, indexed_commit: "abc" };
    const moved = { ...indexed, full_name: "acme/moved", index_status: "failed" } as const;
    expect(one("repository", { repositories: found([moved, indexed]) })).toMatchObject({
      state: "done",
      words: "acme/shop is searchable.",
    });
  });

  test("an assistant has called, also one whose token is revoked by now", () => {
    expect(one("assistant", { assistants: found([token]) })).toMatchObject({ state: "waiting" });
    expect(one("assistant", { assistants: found([{ ...token, revoked_at: now }]) })).toMatchObject({ state: "todo" });
    expect(one("assistant", { assistants: found([token, { label: "Old", last_used_at: now, revoked_at: now }]) })).toMatchObject({
      state: "done",
    });
  });

  test("a first trace arrived", () => {
    expect(one("agent", { projects: found([project]) })).toMatchObject({ state: "waiting" });
    expect(one("agent", { projects: found([project, { ...project, last_trace_at: now }]) })).toMatchObject({ state: "done" });
  });
});

test.each([
  [[], "todo"],
  [["totp"], "done"],
  [["passkey"], "done"],
] as const)("a login that asks for %j has the second factor %s", (factors, state) => {
  expect(one("second_factor", { factors })).toMatchObject({ state });
});

test("what is next is what somebody can do, before what only waits", () => {
  const project = { id: "p", name: "Agent", last_trace_at: null };
  const secured = { factors: ["totp"] as const, projects: found([project]) };
  expect(findNextStep(steps(secured))?.id).toBe("repository");
  const done = { assistants: found([{ label: "t", last_used_at: "x", revoked_at: null }]), repositories: failed };
  expect(findNextStep(steps({ ...secured, ...done }))?.id).toBe("agent");
});
