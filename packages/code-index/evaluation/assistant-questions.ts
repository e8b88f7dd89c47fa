import { spawnSync } from "node:child_process";

/** A call of a tool; it may use what the answers so far say. */
export type ToolCall = (seen: string) => readonly [name: string, given: Readonly<Record<string, unknown>>];

export type Question = {
  readonly repo: string;
  readonly language: string;
  readonly question: string;
  /** The best way without commits, diffs, blame, outlines and old files; then with them. */
  readonly before: readonly ToolCall[];
  readonly after: readonly ToolCall[];
  /** What git says must be in the answers. */
  readonly facts: (git: Git) => readonly string[];
};

export type Git = (...given: readonly string[]) => string;

export function gitOf(directory: string): Git {
  return (...given) => {
    const { status, stdout, stderr } = spawnSync("git", ["-C", directory, ...given], { encoding: "utf8", maxBuffer: 2 ** 28 });
    if (status !== 0) {
      throw new Error(`git ${given.join(" ")}: ${stderr}`);
    }
    return stdout;
  };
}

const always =
  (name: string, given: Readonly<Record<string, unknown>>): ToolCall =>
  () => [name, given];

const [JQ, CLICK, GIN] = ["jqlang/jq", "pallets/click", "gin-gonic/gin"];
const PARSER = "src/jv_parse.c";
const WITHOUT_LIMIT = "83e2cf607f";
const [API_BASE, API_HEAD] = ["7a865dcf1d", "41d8591eb1"];

/** The first hash in the last answer, after what `blame` prints of the lines. */
const blamed = (seen: string) => /^\d+-\d+ ([0-9a-f]{12}) /mu.exec(seen.slice(seen.lastIndexOf("who last changed")))?.[1] ?? "";
/** The first place in an answer: `path:start-end`. */
const place = (seen: string) => {
  const [, path = "", start = "1", end = start] = /^\S+@\S+ (\S+):(\d+)-(\d+) /mu.exec(seen) ?? [];
  return { path, start: Number(start), end: Number(end) };
};

const findDepth = always("grep", { repo: JQ, pattern: "Exceeds depth limit", path: "src/**" });

export const QUESTIONS: readonly Question[] = [
  {
    repo: JQ,
    language: "C",
    question: "Which commit put the limit of depth into the parser, and why?",
    before: [findDepth, always("commit_search", { repo: JQ, path: PARSER, query: "depth limit for parsing" })],
    after: [
      findDepth,
      always("read_file", { repo: JQ, path: PARSER, start: 161, end: 161, show: "blame" }),
      (seen) => ["read_commit", { repo: JQ, commit: blamed(seen), path: PARSER }],
    ],
    facts: (git) => [
      git("log", "-S>= MAX_PARSING_DEPTH", "--format=%h", "--abbrev=12", "--", PARSER).trim(),
      "+#define MAX_PARSING_DEPTH (256)",
    ],
  },
  {
    repo: JQ,
    language: "C",
    question: "What does the JSON parser's file define?",
    before: [always("read_file", { repo: JQ, path: PARSER, max_tokens: 12_000 })],
    after: [always("read_file", { repo: JQ, path: PARSER, show: "outline" })],
    facts: (git) =>
      [...git("show", `HEAD:${PARSER}`).matchAll(/^(?:static |struct )*[\w* ]+?(\w+)\([^;]*\) \{$/gmu)].map(([, name = ""]) => name),
  },
  {
    repo: JQ,
    language: "C",
    question: `How did parse_token read at ${WITHOUT_LIMIT}, before the limit?`,
    before: [always("read_file", { repo: JQ, path: PARSER, start: 147, end: 165 })],
    after: [always("read_file", { repo: JQ, path: PARSER, start: 147, end: 165, commit: WITHOUT_LIMIT })],
    facts: (git) =>
      git("show", `${WITHOUT_LIMIT}:${PARSER}`)
        .split("\n")
        .slice(146, 165)
        .map((line, index) => `${147 + index}: ${line}`),
  },
  {
    repo: CLICK,
    language: "Python",
    question: "Who raises MissingParameter outside the tests?",
    before: [always("find_references", { symbol: "MissingParameter", repo: CLICK, path: "src/**" })],
    after: [always("find_references", { symbol: "MissingParameter", repo: CLICK, path: "src/**" })],
    facts: (git) =>
      git("grep", "-n", "raise MissingParameter", "HEAD", "--", "src")
        .trim()
        .split("\n")
        .map((line) => `${line.split(":")[2]}: raise MissingParameter`),
  },
  {
    repo: CLICK,
    language: "Python",
    question: "How did value_is_missing come to be as it is?",
    before: [
      always("find_symbol", { repo: CLICK, name: "Parameter.value_is_missing" }),
      (seen) => ["commit_search", { repo: CLICK, path: place(seen).path, query: "value is missing" }],
    ],
    after: [
      always("find_symbol", { repo: CLICK, name: "Parameter.value_is_missing" }),
      (seen) => ["read_file", { repo: CLICK, ...place(seen), show: "history" }],
    ],
    facts: (git) => {
      const lines = git("show", "HEAD:src/click/core.py").split("\n");
      const start = lines.findIndex((line) => line.includes("def value_is_missing")) + 1;
      const length = lines.slice(start).findIndex((line, index, rest) => line === "" && /^ {4}(?:def|@)/u.test(rest[index + 1] ?? ""));
      const printed = git("log", `-L${start},${start + length}:src/click/core.py`, "-s", "--format=%h", "--abbrev=12", "-4");
      return printed.trim().split("\n");
    },
  },
  {
    repo: GIN,
    language: "Go",
    question: "Since when is there ShouldBindBodyWithJSON, and by whom?",
    before: [always("commit_search", { repo: GIN, query: "ShouldBindBodyWithJSON" })],
    after: [
      always("find_symbol", { repo: GIN, name: "ShouldBindBodyWithJSON" }),
      (seen) => ["read_file", { repo: GIN, ...place(seen), show: "blame" }],
    ],
    facts: (git) => git("log", "-SShouldBindBodyWithJSON(", "--format=%h%n%an", "--abbrev=12", "--", "context.go").trim().split("\n"),
  },
  {
    repo: GIN,
    language: "Go",
    question: "Where is a body that is too large handled?",
    before: [always("grep", { repo: GIN, pattern: "MaxBytesError" })],
    after: [always("grep", { repo: GIN, pattern: "MaxBytesError" })],
    facts: (git) =>
      git("grep", "-n", "MaxBytesError", "HEAD", "--", "*.go")
        .trim()
        .split("\n")
        .map((line) => line.split(":").slice(3).join(":").trim()),
  },
  {
    repo: GIN,
    language: "Go",
    question: `What did the public API of Context gain between ${API_BASE.slice(0, 8)} and ${API_HEAD.slice(0, 8)}?`,
    before: [always("commit_search", { repo: GIN, path: "context.go", since: "2024-05-01", until: "2025-05-31", limit: 50 })],
    after: [always("read_commit", { repo: GIN, base: API_BASE, commit: API_HEAD, path: "context.go", max_tokens: 12_000 })],
    facts: (git) => {
      const diff = git("diff", API_BASE, API_HEAD, "--", "context.go");
      const methods = (sign: string) =>
        [...diff.matchAll(new RegExp(`^[${sign}]func \\(c \\*Context\\) ([A-Z]\\w*)`, "gmu"))].map(([, name = ""]) => name);
      const gone = new Set(methods("-"));
      return methods("+").filter((name) => !gone.has(name));
    },
  },
];
