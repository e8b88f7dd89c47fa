import { RE2JS } from "re2js";
import type { Check, CheckResult, Json, Trace, ValueCheck } from "#contract.ts";
import { describeCheck, showValue } from "./describe-check.ts";
import { isEqual, isKnown, resolvePointer } from "./json-values.ts";
import { compileSchema } from "./json-schema.ts";
import { hasChanged } from "./state-changes.ts";

/** An output and error, and the trace: null as long as that has not arrived. */
export type Ran = {
  readonly output: unknown;
  readonly error: string | null;
  readonly trace: Trace | null;
  /** Whether the output is the trace's, of which parts may be cut or masked; a run's is whole, and masked as its checks are. */
  readonly isRecorded?: boolean;
};

type Verdict = { readonly passed: boolean | null; readonly reason: string };

const ON_TRACES: ReadonlySet<Check["type"]> = new Set(["tool", "edge", "state", "limit"]);

/** Whether any of them is of what happened on the way, which only the trace says. */
export function needTrace(checks: readonly Check[]): boolean {
  return checks.some(({ type }) => ON_TRACES.has(type));
}

/** Evaluates checks in their order. What can't be told passes nothing: `passed` is null then. */
export function evaluateChecks(checks: readonly Check[], ran: Ran): readonly CheckResult[] {
  return checks.map((check) => ({ name: check.name ?? describeCheck(check), ...evaluate(check, ran) }));
}

function evaluate(check: Check, { output, error, trace, isRecorded = false }: Ran): Verdict {
  switch (check.type) {
    case "equals":
    case "contains":
    case "matches":
    case "schema":
      return isRecorded && !isKnown(output, check.path)
        ? unknown("the output was cut or masked when it was recorded")
        : evaluateValue(check, output);
    case "succeeds":
      return error === null ? passed() : failed(error);
    case "tool":
    case "edge":
    case "state":
    case "limit":
      return trace === null ? unknown("its trace did not arrive") : evaluateTrace(check, trace);
    default:
      return check satisfies never;
  }
}

type Of<Type extends Check["type"]> = Extract<Check, { readonly type: Type }>;

function evaluateValue(check: ValueCheck, value: unknown): Verdict {
  const found = resolvePointer(value, check.path);
  if (found === undefined) {
    return failed(`there is no ${check.path}`);
  }
  const was = `it is ${showValue(found)}`;
  switch (check.type) {
    case "equals":
      return isEqual(found, check.value) ? passed() : failed(was);
    case "contains":
      return containsValue(found, check.value) ? passed() : failed(was);
    case "matches":
      return matches(check.pattern, found, was);
    case "schema": {
      const misfit = compileSchema(check.schema, "the check's schema")(found);
      return misfit === undefined ? passed() : failed(misfit);
    }
    default:
      return check satisfies never;
  }
}

function matches(pattern: string, found: unknown, was: string): Verdict {
  return RE2JS.compile(pattern)
    .matcher(typeof found === "string" ? found : JSON.stringify(found))
    .find()
    ? passed()
    : failed(was);
}

function containsValue(found: unknown, value: Json): boolean {
  if (typeof found === "string") {
    return found.includes(typeof value === "string" ? value : JSON.stringify(value));
  }
  return Array.isArray(found) && found.some((part) => isEqual(part, value));
}

function evaluateTrace(check: Of<"tool" | "edge" | "state" | "limit">, trace: Trace): Verdict {
  const steps = trace.observation_list;
  if (check.type === "limit") {
    return withinLimit(check, trace);
  }
  if (trace.truncated || trace.lost_events > 0) {
    return unknown("its trace is not whole");
  }
  if (check.type === "edge") {
    const count = trace.graph?.taken.find(({ from, to }) => from === check.from && to === check.to)?.count ?? 0;
    return count > 0 === check.taken ? passed() : failed(count === 0 ? "it was not taken" : `it was taken ${count} times`);
  }
  if (check.type === "state") {
    const changed = hasChanged(steps, check.path);
    return typeof changed === "string"
      ? unknown(changed)
      : changed === check.changed
        ? passed()
        : failed(changed ? "it changed" : "it stayed");
  }
  const { with: fitting } = check;
  const all = steps.filter(({ kind, name }) => kind === "tool" && name === check.tool);
  if (fitting !== undefined && all.some(({ input }) => !isKnown(input, fitting.path))) {
    return unknown("its arguments were cut or masked when they were recorded");
  }
  const calls = fitting === undefined ? all : all.filter(({ input }) => evaluateValue(fitting, input).passed);
  const other = steps.find(({ kind, name }) => kind === "tool" && name === check.before);
  if (calls.length < check.at_least || (check.at_most !== undefined && calls.length > check.at_most)) {
    return failed(`it was called ${calls.length} times${fitting === undefined ? "" : ` so, ${all.length} in all`}`);
  }
  const [first] = calls;
  return first !== undefined && other !== undefined && steps.indexOf(first) > steps.indexOf(other)
    ? failed(`${check.before ?? ""} was called first`)
    : passed();
}

function withinLimit({ of, at_most: atMost }: Of<"limit">, trace: Trace): Verdict {
  const value = {
    tokens: trace.input_tokens === null && trace.output_tokens === null ? null : (trace.input_tokens ?? 0) + (trace.output_tokens ?? 0),
    cost: trace.cost,
    duration_ms: trace.duration_ms,
    steps: trace.observations,
  }[of];
  if (value === null) {
    return unknown(`the trace says no ${of}`);
  }
  if (value > atMost) {
    return failed(`it was ${value}`);
  }
  return trace.lost_events > 0 ? unknown("its trace is not whole") : passed();
}

const passed = (): Verdict => ({ passed: true, reason: "" });
const failed = (reason: string): Verdict => ({ passed: false, reason });
const unknown = (reason: string): Verdict => ({ passed: null, reason });
