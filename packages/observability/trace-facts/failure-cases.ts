import type { ObservationStatus } from "#contract.ts";
import { NO_REASON } from "./passes-on.ts";

type CaseStep = {
  readonly name: string;
  /** The name of the step around it; none directly below the trace. */
  readonly in?: string;
  /** `running`: its end never arrived. */
  readonly status: Extract<ObservationStatus, "success" | "failure" | "interrupted" | "running">;
  readonly error?: string;
  /** Seconds after the start of the trace; by default steps run one after the other, and each ends with the last step in it. */
  readonly end?: number;
  /** It belongs to the segment that resumed the trace. */
  readonly isResumed?: true;
};

type Case = {
  readonly title: string;
  readonly trace: Pick<CaseStep, "status" | "error">;
  readonly steps: readonly CaseStep[];
  /** Names of the steps in which a failure arose. */
  readonly causes: readonly string[];
  /** The step of whose error the trace died; the trace itself counts as one more failure when it failed without one. */
  readonly reason?: string;
  /** Who caught which of them. */
  readonly caught?: Readonly<Record<string, string>>;
};

const LIMIT = "GraphRecursionError: Recursion limit of 25 reached without hitting a stop condition.";
const ORDER = "ValueError: order 42 was not found";

function failed(name: string, error?: string, more: Partial<CaseStep> = {}): CaseStep {
  return { name, status: "failure", ...(error === undefined ? {} : { error }), ...more };
}

function ended(name: string, more: Partial<CaseStep> = {}): CaseStep {
  return { name, status: "success", ...more };
}

/** What is true of failures, whoever tells of them: the one function, the list, the head of a trace, its session and the tools for assistants. */
export const FAILURE_CASES: readonly Case[] = [
  {
    title: "a failure that was caught is not the reason of a later one",
    trace: failed("trace", LIMIT),
    steps: [failed("agent", LIMIT), ended("node", { in: "agent" }), failed("tool", ORDER, { in: "node" })],
    causes: ["agent", "tool"],
    reason: "agent",
    caught: { tool: "node" },
  },
  {
    title: "a trace that dies of an error of its own is one more failure",
    trace: failed("trace", LIMIT),
    steps: [ended("node"), failed("tool", ORDER, { in: "node" })],
    causes: ["tool"],
    caught: { tool: "node" },
  },
  { title: "a trace can fail without any step", trace: failed("trace", LIMIT), steps: [ended("node")], causes: [] },
  {
    title: "a failure that climbs is one",
    trace: failed("trace", ORDER),
    steps: [failed("graph", ORDER), failed("tools", ORDER, { in: "graph" }), failed("tool", ORDER, { in: "tools" })],
    causes: ["tool"],
    reason: "tool",
  },
  {
    title: "of a call that was tried again each attempt failed, and the last one is the reason",
    trace: failed("trace", ORDER),
    steps: [failed("node", ORDER), ...["first", "second", "third"].map((name) => failed(name, ORDER, { in: "node" }))],
    causes: ["first", "second", "third"],
    reason: "third",
  },
  {
    title: "of attempts that failed differently the one whose error was raised is the reason",
    trace: failed("trace", "RateLimitError: Error code: 429 - request req_2"),
    steps: [
      failed("node", "RateLimitError: Error code: 429 - request req_2"),
      failed("first", "RateLimitError: Error code: 429 - request req_1", { in: "node" }),
      failed("second", "RateLimitError: Error code: 429 - request req_2", { in: "node" }),
      failed("unrelated", "APIConnectionError: Connection error.", { in: "node" }),
    ],
    causes: ["first", "second", "unrelated"],
    reason: "second",
  },
  {
    title: "a call that succeeded when it was tried again",
    trace: ended("trace"),
    steps: [ended("node"), failed("first", ORDER, { in: "node" }), ended("second", { in: "node" })],
    causes: ["first"],
    caught: { first: "node" },
  },
  {
    title: "an error around another that says its whole text passes it on",
    trace: failed("trace", "AgentError: lookup failed: KeyError: 'x'"),
    steps: [failed("node", "AgentError: lookup failed: KeyError: 'x'"), failed("tool", "KeyError: 'x'", { in: "node" })],
    causes: ["tool"],
    reason: "tool",
  },
  {
    title: "an error around another that says its message passes it on",
    trace: failed("trace", 'app.errors.AgentError: step 3 ("order 42 was not found") gave up'),
    steps: [
      failed("node", 'app.errors.AgentError: step 3 ("order 42 was not found") gave up'),
      failed("inner", "RuntimeError: order 42 was not found", { in: "node" }),
      failed("tool", ORDER, { in: "inner" }),
    ],
    causes: ["tool"],
    reason: "tool",
  },
  {
    title: "an error to which lines were added on its way passes it on",
    trace: failed("trace", "Error: bad\n\nTroubleshooting URL: https://example.org/errors"),
    steps: [failed("node", "Error: bad\n\nTroubleshooting URL: https://example.org/errors"), failed("tool", "Error: bad", { in: "node" })],
    causes: ["tool"],
    reason: "tool",
  },
  {
    title: "a short message that stands in a longer one says nothing",
    trace: failed("trace", "TypeError: no such file"),
    steps: [failed("node", "TypeError: no such file"), failed("tool", "Error: no", { in: "node" })],
    causes: ["node", "tool"],
    reason: "node",
  },
  {
    title: "an error of the same type with another message is another",
    trace: failed("trace", "ValueError: the answer has no text"),
    steps: [failed("node", "ValueError: the answer has no text"), failed("tool", ORDER, { in: "node" })],
    causes: ["node", "tool"],
    reason: "node",
  },
  {
    title: "a step that failed and says nothing passes on what failed last in it",
    trace: failed("trace", NO_REASON),
    steps: [
      failed("node", ""),
      failed("first", ORDER, { in: "node", end: 8 }),
      failed("last", "KeyError: 'x'", { in: "node", end: 9 }),
      ended("answer", { in: "node" }),
    ],
    causes: ["first", "last"],
    reason: "last",
  },
  {
    title: "of a step that says nothing nobody above can say that it passes it on",
    trace: failed("trace", ORDER),
    steps: [failed("node", ORDER), failed("silent", undefined, { in: "node" }), failed("span", NO_REASON, { in: "node" })],
    causes: ["node", "silent", "span"],
    reason: "node",
  },
  {
    title: "failures that say nothing at all are one",
    trace: failed("trace"),
    steps: [failed("node"), failed("tool", undefined, { in: "node" })],
    causes: ["tool"],
    reason: "tool",
  },
  {
    title: "an error too long to be kept whole is compared as far as it is kept",
    trace: failed("trace", `AgentError: it gave up: ${"🧵 long ".repeat(2_000)}`),
    steps: [
      failed("node", `ValueError: ${"🧵 long ".repeat(2_000)}`),
      failed("tool", `ValueError: ${"🧵 long ".repeat(40)}`, { in: "node" }),
    ],
    causes: ["tool"],
    reason: "tool",
  },
  {
    title: "a group of errors is a failure beside its members",
    trace: failed("trace", "ExceptionGroup: unhandled errors in a TaskGroup (2 sub-exceptions)"),
    steps: [
      failed("group", "ExceptionGroup: unhandled errors in a TaskGroup (2 sub-exceptions)"),
      failed("one", ORDER, { in: "group" }),
      failed("two", "KeyError: 'x'", { in: "group" }),
    ],
    causes: ["group", "one", "two"],
    reason: "group",
  },
  {
    title: "of two branches that fail, the one whose error is raised is the reason, and the other was not caught",
    trace: failed("trace", ORDER),
    steps: [
      failed("graph", ORDER),
      failed("left", ORDER, { in: "graph" }),
      failed("right", "TimeoutError: no answer in 30 s", { in: "graph" }),
    ],
    causes: ["left", "right"],
    reason: "left",
  },
  {
    title: "of two equal failures the one that ended last is the reason, whichever began first",
    trace: failed("trace", ORDER),
    steps: [failed("graph", ORDER), failed("late", ORDER, { in: "graph", end: 9 }), failed("early", ORDER, { in: "graph", end: 8 })],
    causes: ["late", "early"],
    reason: "late",
  },
  {
    title: "what fails in the background after the step around it ended was caught by nobody",
    trace: ended("trace"),
    steps: [ended("node", { end: 5 }), failed("background", ORDER, { in: "node", end: 6 })],
    causes: ["background"],
  },
  {
    title: "a step that waits for a person went on after a failure in it",
    trace: { status: "interrupted" },
    steps: [{ name: "node", status: "interrupted" }, failed("tool", ORDER, { in: "node" })],
    causes: ["tool"],
    caught: { tool: "node" },
  },
  {
    title: "what still runs has caught nothing yet",
    trace: { status: "running" },
    steps: [{ name: "node", status: "running" }, failed("tool", ORDER, { in: "node" })],
    causes: ["tool"],
  },
  {
    title: "nothing is passed on through a step whose end never arrived",
    trace: failed("trace", ORDER),
    steps: [failed("graph", ORDER), { name: "node", status: "running", in: "graph" }, failed("tool", ORDER, { in: "node" })],
    causes: ["graph", "tool"],
    reason: "graph",
  },
  {
    title: "a step whose parent never arrived stands below the trace",
    trace: failed("trace", ORDER),
    steps: [failed("orphan", ORDER, { in: "(lost)" }), failed("tool", ORDER, { in: "orphan" })],
    causes: ["tool"],
    reason: "tool",
  },
  {
    title: "the same error that was caught in a step is not what the trace died of later",
    trace: failed("trace", ORDER),
    steps: [ended("node"), failed("tool", ORDER, { in: "node" })],
    causes: ["tool"],
    caught: { tool: "node" },
  },
  {
    title: "a trace that was resumed is one, and died of what failed after that",
    trace: failed("trace", LIMIT),
    steps: [
      { name: "before", status: "interrupted" },
      failed("tool", ORDER, { in: "before" }),
      failed("after", LIMIT, { isResumed: true }),
    ],
    causes: ["tool", "after"],
    reason: "after",
    caught: { tool: "before" },
  },
];
