import { spawnSync } from "node:child_process";

/** A call of a tool; it may use what the answers so far say. */
export type ToolCall = (seen: string) => readonly [name: string, given: Readonly<Record<string, unknown>>];

export type Question = {
  readonly repo: string;
  readonly question: string;
  readonly calls: readonly ToolCall[];
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
const COMPLETION = "src/click/shell_completion.py";
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
    question: "Which commit put the limit of depth into the parser, and why?",
    calls: [
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
    question: "What does the JSON parser's file define?",
    calls: [always("read_file", { repo: JQ, path: PARSER, show: "outline" })],
    facts: (git) =>
      [...git("show", `HEAD:${PARSER}`).matchAll(/^(?:static |struct )*[\w* ]+?(\w+)\([^;]*\) \{$/gmu)].map(([, name = ""]) => name),
  },
  {
    repo: JQ,
    question: `How did parse_token read at ${WITHOUT_LIMIT}, before the limit?`,
    calls: [always("read_file", { repo: JQ, path: PARSER, start: 147, end: 165, commit: WITHOUT_LIMIT })],
    facts: (git) =>
      git("show", `${WITHOUT_LIMIT}:${PARSER}`)
        .split("\n")
        .slice(146, 165)
        .map((line, index) => `${147 + index}: ${line}`),
  },
  {
    repo: CLICK,
    question: "Who raises MissingParameter outside the tests?",
    calls: [always("find_references", { symbol: "MissingParameter", repo: CLICK, path: "src/**" })],
    facts: (git) =>
      git("grep", "-n", "raise MissingParameter", "HEAD", "--", "src")
        .trim()
        .split("\n")
        .map((line) => `${line.split(":")[2]}: raise MissingParameter`),
  },
  {
    repo: CLICK,
    question: "How did value_is_missing come to be as it is?",
    calls: [
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
    question: "Since when is there ShouldBindBodyWithJSON, and by whom?",
    calls: [
      always("find_symbol", { repo: GIN, name: "ShouldBindBodyWithJSON" }),
      (seen) => ["read_file", { repo: GIN, ...place(seen), show: "blame" }],
    ],
    facts: (git) => git("log", "-SShouldBindBodyWithJSON(", "--format=%h%n%an", "--abbrev=12", "--", "context.go").trim().split("\n"),
  },
  {
    repo: GIN,
    question: "Where is a body that is too large handled?",
    calls: [always("grep", { repo: GIN, pattern: "MaxBytesError" })],
    facts: (git) =>
      git("grep", "-n", "MaxBytesError", "HEAD", "--", "*.go")
        .trim()
        .split("\n")
        .map((line) => line.split(":").slice(3).join(":").trim()),
  },
  {
    repo: GIN,
    question: `What did the public API of Context gain between ${API_BASE.slice(0, 8)} and ${API_HEAD.slice(0, 8)}?`,
    calls: [always("read_commit", { repo: GIN, base: API_BASE, commit: API_HEAD, path: "context.go", max_tokens: 12_000 })],
    facts: (git) => {
      const diff = git("diff", API_BASE, API_HEAD, "--", "context.go");
      const methods = (sign: string) =>
        [...diff.matchAll(new RegExp(`^[${sign}]func \\(c \\*Context\\) ([A-Z]\\w*)`, "gmu"))].map(([, name = ""]) => name);
      const gone = new Set(methods("-"));
      return methods("+").filter((name) => !gone.has(name));
    },
  },
  {
    repo: GIN,
    question: "What renders a response, each by its own Render?",
    calls: [always("find_references", { repo: GIN, symbol: "Render", kind: "implementation", path: "render/**" })],
    facts: (git) => [
      ...new Set(matchesOf(git("grep", "-hE", String.raw`^func \(.*\) Render\(w http`, "HEAD", "--", "render/*.go"), /\(\w+ \*?(\w+)\)/gu)),
    ],
  },
  {
    repo: GIN,
    question: "Where is Context.Next?",
    calls: [always("find_symbol", { repo: GIN, name: "Context.Next" })],
    facts: (git) => placesOf(git("grep", "-nE", String.raw`^func \(c \*Context\) Next\(`, "HEAD")),
  },
  {
    repo: GIN,
    question: "Which interfaces does the router have?",
    calls: [
      always("find_symbol", { repo: GIN, name: "IRouter", kind: "interface" }),
      always("find_symbol", { repo: GIN, name: "IRoutes", kind: "interface" }),
    ],
    facts: (git) => placesOf(git("grep", "-nE", String.raw`^type IRoute\w+ interface`, "HEAD")),
  },
  {
    repo: GIN,
    question: "Who uses BindingBody?",
    calls: [always("find_references", { repo: GIN, symbol: "BindingBody" })],
    facts: (git) =>
      linesOf(git("grep", "-nwE", "BindingBody", "HEAD", "--", "*.go"))
        .filter(({ text }) => !/^\s*(?:\/\/|type )/u.test(text))
        .map(({ line, text }) => `${line}: ${text.trim()}`),
  },
  {
    repo: GIN,
    question: "Which files render?",
    calls: [always("list_files", { repo: GIN, path: "render" })],
    facts: (git) => matchesOf(git("ls-tree", "-r", "--name-only", "HEAD", "render"), /^render\/(.+)$/gmu),
  },
  {
    repo: GIN,
    question: "Who last changed Engine.ServeHTTP?",
    calls: [
      always("find_symbol", { repo: GIN, name: "Engine.ServeHTTP" }),
      (seen) => ["read_file", { repo: GIN, ...place(seen), show: "blame" }],
    ],
    facts: (git) => {
      const line = linesOf(git("grep", "-n", ") ServeHTTP(", "HEAD", "--", "gin.go"))[0]?.line ?? 1;
      const length = git("show", "HEAD:gin.go").split("\n").slice(line).indexOf("}") + 1;
      return [
        ...new Set(matchesOf(git("blame", "--abbrev=11", `-L${line},+${length + 1}`, "HEAD", "--", "gin.go"), /^\^?([0-9a-f]{12})/gmu)),
      ];
    },
  },
  {
    repo: CLICK,
    question: "What is a ParamType?",
    calls: [always("find_references", { repo: CLICK, symbol: "ParamType", kind: "implementation", path: "src/**" })],
    facts: (git) => matchesOf(git("grep", "-hE", String.raw`^class \w+\(ParamType\b`, "HEAD", "--", "src"), /^class (\w+)/gmu),
  },
  {
    repo: CLICK,
    question: "Who opens streams?",
    calls: [always("find_references", { repo: CLICK, symbol: "open_stream", path: "src/**" })],
    facts: (git) =>
      linesOf(git("grep", "-nw", "open_stream", "HEAD", "--", "src"))
        .filter(({ text }) => !/^\s*(?:def |#)/u.test(text))
        .map(({ line, text }) => `${line}: ${text.trim()}`),
  },
  {
    repo: CLICK,
    question: "When did completion in the shell last change?",
    calls: [always("commit_search", { repo: CLICK, path: COMPLETION, limit: 1 })],
    facts: (git) => [git("log", "-1", "--format=%h", "--abbrev=12", "--", COMPLETION).trim()],
  },
  {
    repo: CLICK,
    question: "Which usage errors does the core raise?",
    calls: [always("grep", { repo: CLICK, pattern: String.raw`raise \w*(Usage|Parameter)\w*\(`, regex: true, path: "src/**" })],
    facts: (git) =>
      linesOf(git("grep", "-nE", String.raw`raise \w*(Usage|Parameter)\w*\(`, "HEAD", "--", "src")).map(
        ({ line, text }) => `${line}: ${text}`,
      ),
  },
  {
    repo: CLICK,
    question: "What does types.py define?",
    calls: [always("read_file", { repo: CLICK, path: "src/click/types.py", show: "outline" })],
    facts: (git) => matchesOf(git("show", "HEAD:src/click/types.py"), /^(?:class|def) (\w+)/gmu),
  },
  {
    repo: JQ,
    question: "Who joins two strings?",
    calls: [always("find_references", { repo: JQ, symbol: "jv_string_concat" })],
    facts: (git) =>
      linesOf(git("grep", "-nw", "jv_string_concat", "HEAD", "--", "src/*.c"))
        .filter(({ text }) => !text.startsWith("jv "))
        .map(({ line, text }) => `${line}: ${text.trim()}`),
  },
  {
    repo: JQ,
    question: "Where is jv_parse_sized?",
    calls: [always("find_symbol", { repo: JQ, name: "jv_parse_sized" })],
    facts: (git) => placesOf(git("grep", "-nE", String.raw`^jv jv_parse_sized\(.*\{$`, "HEAD", "--", "src")),
  },
  {
    repo: JQ,
    question: "How did the parser look in jq 1.6?",
    calls: [always("read_file", { repo: JQ, path: PARSER, start: 24, end: 60, commit: "jq-1.6" })],
    facts: (git) =>
      git("show", `jq-1.6:${PARSER}`)
        .split("\n")
        .slice(23, 60)
        .map((line, index) => `${24 + index}: ${line}`),
  },
  {
    repo: GIN,
    question: "Which code did v1.9.1 change in what renders?",
    calls: [always("read_commit", { repo: GIN, base: "v1.9.0", commit: "v1.9.1", path: "render" })],
    facts: (git) => matchesOf(git("diff", "-U0", "v1.9.0", "v1.9.1", "--", "render"), /^(?!---|\+\+\+)([-+].+)$/gmu),
  },
  {
    repo: CLICK,
    question: "What came three commits ago?",
    calls: [always("read_commit", { repo: CLICK, commit: "HEAD~3" })],
    facts: (git) => [
      ...git("log", "-1", "--abbrev=12", "--format=%h%n%an%n%s", "HEAD~3").trim().split("\n"),
      ...git("diff", "--name-only", "HEAD~4", "HEAD~3").trim().split("\n"),
    ],
  },
  {
    repo: CLICK,
    question: "Which commits brought should_strip_ansi, and took it away, anywhere?",
    calls: [always("commit_search", { repo: CLICK, changed: "should_strip_ansi", limit: 20 })],
    facts: (git) => git("log", "-Sshould_strip_ansi", "--format=%h", "--abbrev=12").trim().split("\n"),
  },
];

/** What `git grep -n` prints of a commit. */
function linesOf(printed: string): readonly { readonly path: string; readonly line: number; readonly text: string }[] {
  return [...printed.matchAll(/^HEAD:([^:]+):(\d+):(.*)$/gmu)].map(([, path = "", line = "", text = ""]) => ({
    path,
    line: Number(line),
    text,
  }));
}

function placesOf(printed: string): readonly string[] {
  return linesOf(printed).map(({ path, line }) => `${path}:${line}`);
}

function matchesOf(text: string, pattern: RegExp): readonly string[] {
  return [...text.matchAll(pattern)].map(([, found = ""]) => found);
}
