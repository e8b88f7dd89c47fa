import type { Observation } from "#contract.ts";
import { codeText, costText, durationText, plural, timeText } from "./recorded-text.ts";

type FailingCode = {
  readonly repo: string | null;
  readonly commit: string | null;
  readonly path: string;
  readonly line: number;
  readonly function: string | null;
};

/** A line of the outline. */
export type Outlined = {
  /** For get_observation. */
  readonly step: string;
  readonly depth: number;
  readonly kind: Observation["kind"];
  readonly name: string;
  readonly status: Observation["status"];
  /** After the trace's start. */
  readonly at_ms: number;
  readonly duration_ms: number | null;
  /** So many of it came one after the other; duration_ms is of all of them. */
  readonly alike?: number;
  /** Steps in it that are not shown. */
  readonly inside?: number;
  /** The repository and commit are those named above, unless it names another. */
  readonly code?: string;
};

/** A failure that arose, and how many were like it. */
export type Failing = {
  readonly step: string;
  readonly kind: Observation["kind"];
  /** Names of the steps that led there, from the outermost. */
  readonly path: readonly string[];
  readonly error: string | null;
  /** The step that went on all the same. */
  readonly caught_by: string | null;
  readonly times: number;
  readonly code: FailingCode | null;
};

/** The run as a whole. */
export type Head = {
  readonly id: string;
  readonly project: string;
  readonly name: string;
  readonly status: Observation["status"];
  readonly started_at: string;
  readonly duration_ms: number | null;
  readonly steps: number;
  readonly failures: number;
  readonly input_tokens: number | null;
  readonly output_tokens: number | null;
  readonly cost: number | null;
  readonly error: string | null;
  /** The error is of the run itself: no step's failure was passed on to it. */
  readonly isOwn: boolean;
  /** Of that error: the lines of its stack, as many as fit. */
  readonly stack: readonly string[];
  /** A line each, with the explanation. */
  readonly scores: readonly string[];
  /** What most steps ran. */
  readonly code: { readonly repo: string; readonly commit: string | null } | null;
};

/** What is told before the steps. */
export function renderTop({ head, failing }: { readonly head: Head; readonly failing: readonly Failing[] }): string {
  const scores = head.scores.length === 0 ? [] : ["scores:", ...head.scores];
  return [renderHead(head), ...scores, ...failing.flatMap(renderFailing)].join("\n");
}

function renderHead(head: Head): string {
  const failed = head.failures === 0 ? "" : `, ${head.failures} failed`;
  const tokens =
    head.input_tokens === null ? "" : `, ${head.input_tokens} tokens in and ${head.output_tokens ?? 0} out, ${costText(head.cost)}`;
  const line = `${head.name} (${head.project}) ${head.id}: ${head.status}, ${timeText(head.started_at)}, ${durationText(head.duration_ms)}, ${plural(head.steps, "step")}${failed}${tokens}`;
  const error = head.error === null && !head.isOwn ? [] : [`error${head.isOwn ? " of the run itself" : ""}: ${head.error ?? "none told"}`];
  const code = head.code === null ? [] : [`code: ${head.code.repo}${head.code.commit === null ? "" : `@${head.code.commit}`}`];
  return [line, ...error, ...head.stack, ...code].join("\n");
}

function renderFailing({ step, kind, path, error, caught_by: caughtBy, times, code }: Failing): readonly string[] {
  const at =
    code === null
      ? ""
      : codeText({ file: code.path, line: code.line, ...withoutNulls({ repo: code.repo, commit: code.commit, function: code.function }) });
  return [
    `failed${times > 1 ? ` ${times} times` : ""}${caughtBy === null ? "" : `, caught by ${caughtBy}`}: ${path.join(" > ")} (${kind}, step ${step})`,
    ...(error === null ? [] : [`  ${error}`]),
    ...(at === "" ? [] : [`  at ${at}`]),
  ];
}

function withoutNulls(values: Readonly<Record<string, string | null>>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).flatMap(([name, value]) => (value === null ? [] : [[name, value]])));
}

/** Levels that are indented; more are no easier to read. */
const DEEP = 12;

export function renderLine({ step, depth, kind, name, status, at_ms: at, duration_ms: ms, alike, inside, code }: Outlined): string {
  const how = [
    ...(status === "success" ? [] : [status]),
    `+${durationText(at)}`,
    durationText(ms),
    ...(inside === undefined ? [] : [`${inside} inside`]),
  ];
  return `${"  ".repeat(Math.min(depth - 1, DEEP))}${step} ${kind} ${name}${alike === undefined ? "" : ` ×${alike}`}: ${how.join(", ")}${code === undefined ? "" : ` ${code}`}`;
}
