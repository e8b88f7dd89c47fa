import { NUMBERS, TRACE_NUMBERS, type NumberUnit } from "#step-numbers.ts";
import { LABEL_NAMES, TRACE_LABELS } from "#trace-labels.ts";
import { TRACE_PURPOSES } from "#trace-purpose.ts";

/** The fields that the query of a list of traces knows; safe to import in a browser. */

export type TraceFieldType = "text" | "choice" | "time" | NumberUnit;

export type TraceField = {
  readonly name: string;
  readonly type: TraceFieldType;
  readonly description: string;
  readonly example: string;
  /** What can be written; of a choice only. */
  readonly options?: readonly string[];
  /** Whether `GET …/traces/facets?field=` tells which values there are. */
  readonly hasFacets: boolean;
};

const text = (name: string, description: string, example: string, hasFacets = true): TraceField => ({
  name,
  type: "text",
  description,
  example: `${name}:${example}`,
  hasFacets,
});
const amount = (name: string, type: NumberUnit, description: string, example: string): TraceField => ({
  name,
  type,
  description,
  example: `${name}:${example}`,
  hasFacets: false,
});
const numbers = (unit: NumberUnit): readonly TraceField[] =>
  TRACE_NUMBERS.map((name) => NUMBERS[name])
    .filter((number) => number.unit === unit)
    .map(({ field }) => amount(field.name, unit, field.description, field.example));
const choice = (name: string, description: string, options: readonly string[]): TraceField => ({
  name,
  type: "choice",
  description,
  example: `${name}:${options[0] ?? ""}`,
  options,
  hasFacets: false,
});

export const TRACE_FIELDS: readonly TraceField[] = [
  choice("status", "How it ended, or that it has not", ["failure", "success", "running", "interrupted", "abandoned"]),
  choice("purpose", "What it was recorded for; without this field only live traces are found", [
    "experiment",
    ...TRACE_PURPOSES.filter((purpose) => purpose !== "experiment"),
    "any",
  ]),
  text("name", "Its name", "support-agent"),
  text("session", "The conversation or visit it is a part of", "session-7"),
  text("user", "Who it ran for", "user-42"),
  text("thread", "The LangGraph thread whose state it continues", "thread-7"),
  ...LABEL_NAMES.map((name) => text(name, TRACE_LABELS[name].description, TRACE_LABELS[name].example)),
  text("tag", "A tag it was given", "beta"),
  { name: "metadata", type: "text", description: "What was noted of it, by its key", example: "metadata.customer:acme", hasFacets: false },
  {
    name: "resource",
    type: "text",
    description: "What OpenTelemetry says of the process it ran in, by its key",
    example: "resource.team:emea",
    hasFacets: false,
  },
  text("model", "A model that was called", "gpt-4o*"),
  text("prompt", "A prompt that a model was called with, of any version or of one", "support/greeting@7"),
  text("tool", "A tool that was called", "find_order"),
  text("node", "A node of its graph that ran", "plan"),
  choice("kind", "A kind of step in it", ["llm", "tool", "node", "graph", "retriever", "span"]),
  text("text", "Words behind each other in what went in or came back, of it or a step", '"tracking link"', false),
  { name: "args", type: "text", description: "What a tool was given, by its key", example: "args.order_id:A-1009", hasFacets: false },
  text("error", "A part of its error, in either case", "timeout", false),
  ...numbers("duration"),
  ...numbers("money"),
  amount("tokens", "count", "Tokens read and written", ">10k"),
  ...numbers("count"),
  amount("steps", "count", "How many steps it has", ">100"),
  amount("failures", "count", "How many failures arose in it", ">0"),
  amount("lost", "count", "Events of it known to be missing", ">0"),
  { name: "started", type: "time", description: "When it began, UTC", example: "started:>-24h", hasFacets: false },
  { name: "score", type: "count", description: "A score, by its name", example: "score.helpful:>0.5", hasFacets: false },
  text("code", "A file that ran, by its path or the end of it", "src/tools.ts"),
  text("commit", "The commit that ran, or its beginning", "4f2a91c*"),
  choice("has", "What it has", ["error", "score", "lost", "cost"]),
];

export function findTraceField(name: string): TraceField | undefined {
  return TRACE_FIELDS.find((field) => field.name === name);
}

/** Whether the values of a field can be told, of metadata and resources those of a key. */
export function hasTraceFacets(field: string): boolean {
  return findTraceField(field)?.hasFacets === true || /^(metadata|resource)\.[\w.-]+$/.test(field);
}

/** Fields of many, each by its name: `score.helpful`, `metadata.customer`. */
export const NAMED_FIELDS = new Set(["score", "metadata", "resource", "args"]);

/** Of a resource, what OpenTelemetry says of itself, or anew for each process: nobody looks for traces by it. */
const OF_EVERY_PROCESS = /^(?:telemetry|process|service\.instance|container)\.|\.uid$/;

/** Whether traces are found by a key of `metadata` or `resource`: a query can only ask for what is one word of it. */
export function isKeyOfField(field: string, key: string): boolean {
  return /^[\w.-]{1,64}$/.test(key) && !(field === "resource" && OF_EVERY_PROCESS.test(key));
}

/** What is wrong with the name of a field, or with the name behind it. */
export function noSuchField(name: string, field: TraceField | undefined): string {
  if (field?.name === "score") {
    return "Name the score: score.helpful:>0.5.";
  }
  if (field !== undefined && NAMED_FIELDS.has(field.name)) {
    return `Name the key: ${field.example}.`;
  }
  const known = TRACE_FIELDS.map((each) => (NAMED_FIELDS.has(each.name) ? `${each.name}.<name>` : each.name)).join(", ");
  return `There is no field ${name}. Put it in quotes to search for the words, or use one of ${known}.`;
}

const OPERATORS: Readonly<Record<string, string>> = {
  OR: "Of one field, write the values with commas: status:failure,interrupted. Over several fields there is no OR: ask one after the other.",
  NOT: "Write - before what is not wanted: -status:failure.",
  AND: "Leave AND out: all terms must be true.",
};

/** What other languages mean something by is no word to look for: then nothing would be found, and nobody told why. */
export function notReadAs(whole: string): string | undefined {
  const isGrouping = whole.startsWith("(") || whole.split("(").length !== whole.split(")").length;
  const message = isGrouping ? "Parentheses group nothing here: all terms must be true." : OPERATORS[whole];
  return message === undefined ? undefined : `${message} In quotes it is a word.`;
}
