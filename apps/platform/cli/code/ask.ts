import { grepAnswerSchema, type GrepMatch } from "@sightline/code-index/contract";
import { z } from "zod";
import { findCheckout } from "#demo/checkout.ts";
import { UsageError } from "#settings/failure.ts";
import { createSender, type Sender } from "./client.ts";

type Asking = {
  readonly field: string;
  /** Answers with the text that is printed; without one, lines are made of the route's answer. */
  readonly tool?: string;
  readonly route: string;
  /** What a page holds at the most, which is taken where every page is asked for. */
  readonly limit: string;
};

const ASKING = {
  search: { field: "query", tool: "search", route: "/api/v1/search", limit: "50" },
  grep: { field: "pattern", route: "/api/v1/grep", limit: "1000" },
  refs: { field: "symbol", tool: "find_references", route: "/api/v1/references", limit: "200" },
} satisfies Readonly<Record<string, Asking>>;
const MAX_TOKENS = "12000";

export type Subject = keyof typeof ASKING;

type Given = Readonly<Record<string, string | boolean>>;

/** How to ask and, beside it, what tools and routes take, with names in camel case. */
export type AskOptions = Given & { readonly url?: string; readonly json?: boolean; readonly all?: boolean; readonly text?: boolean };

type Page = { readonly text: string; readonly isFound: boolean; readonly next: string | undefined; readonly notes: readonly string[] };

/** `sightline search`, `grep` and `refs`: prints what is found to stdout and notes to stderr, and ends with 1 where nothing is. */
export async function ask(
  subject: Subject,
  asked: string,
  { url, json, all, text: isOfAnyKind, repo, ...options }: AskOptions,
): Promise<void> {
  // Who stops reading, as `head` does, has what they want.
  process.stdout.on("error", ({ code }: NodeJS.ErrnoException) => process.exit(code === "EPIPE" ? 0 : 2));
  const asking: Asking = ASKING[subject];
  const isText = asking.tool !== undefined && json !== true;
  const given = {
    ...(all === true && { limit: asking.limit, ...(isText && { max_tokens: MAX_TOKENS }) }),
    ...Object.fromEntries(Object.entries(options).map(([name, value]) => [inSnakeCase(name), value])),
    ...(repo !== undefined && { repo: repo === "." ? await findRepository() : repo }),
    ...(isOfAnyKind === true && { all: true }),
    [asking.field]: asked,
  };
  const send = await createSender(url);
  const read = isText ? readToolText : json === true ? readJson : readLines;
  let isFound = false;
  let next: string | undefined;
  do {
    const page: Page = await read(send, asking, { ...given, ...(next !== undefined && { cursor: next }) });
    isFound ||= page.isFound;
    next = all === true ? page.next : undefined;
    const text = all === true ? page.text.replace(CURSOR, "\n") : page.text;
    process.stdout.write(process.stdout.isTTY ? text.replaceAll(CONTROL, "\u{fffd}") : text);
    page.notes.forEach((note) => console.error(note));
    if (read === readLines && page.next !== undefined && all !== true) {
      console.error(`There may be more: --all goes on, or --cursor ${page.next}`);
    }
  } while (next !== undefined);
  process.exitCode = isFound ? 0 : 1;
}

/** What a file holds must not steer the terminal. */
const CONTROL = /[^\P{Cc}\n\t]/gu;

function inSnakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

async function findRepository(): Promise<string> {
  const checkout = await findCheckout(process.cwd());
  if (checkout === undefined) {
    throw new UsageError(`${process.cwd()} is no git checkout: name the repository with --repo.`);
  }
  return checkout.fullName;
}

const toolAnswerSchema = z.union([
  z.object({
    result: z.object({ isError: z.boolean().default(false), content: z.tuple([z.object({ text: z.string() })]) }),
  }),
  z.object({ error: z.object({ message: z.string() }) }),
]);
const CURSOR = /\ncursor: (.+)\n$/;
/** How the tools say that they list nothing. */
const NOTHING = /^Nothing was found\.|^Used \((?:at least )?0 lines/m;

async function readToolText(send: Sender, { tool }: Asking, given: Given): Promise<Page> {
  const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: tool, arguments: given } };
  const answer = toolAnswerSchema.parse(await reach(send, "/mcp", { method: "POST", headers, body: JSON.stringify(call) }));
  if ("error" in answer || answer.result.isError) {
    throw new Error("error" in answer ? answer.error.message : answer.result.content[0].text);
  }
  const text = `${answer.result.content[0].text}\n`;
  return { text, isFound: !NOTHING.test(text), next: CURSOR.exec(text)?.[1], notes: [] };
}

/** References are asked for by address, since their names are short. */
async function readRoute(send: Sender, { route, field }: Asking, given: Given): Promise<unknown> {
  const headers = { "content-type": "application/json" };
  if (field !== "symbol") {
    return reach(send, route, { method: "POST", headers, body: JSON.stringify(given) });
  }
  const query = Object.entries(given).map(([name, value]): [string, string] => [name, String(value)]);
  return reach(send, `${route}?${new URLSearchParams(query).toString()}`);
}

async function reach(send: Sender, ...asked: Parameters<Sender>): Promise<unknown> {
  const answer = await send(...asked);
  if (!answer.ok) {
    throw new Error(`${answer.message} (${answer.status} ${answer.error})`);
  }
  return answer.body;
}

const pageSchema = z.looseObject({
  next_cursor: z.string().nullable(),
  results: z.array(z.unknown()).default([]),
  files: z.array(z.unknown()).default([]),
  references: z.array(z.unknown()).default([]),
});

async function readJson(send: Sender, asking: Asking, given: Given): Promise<Page> {
  const body = await readRoute(send, asking, asking.tool === "search" ? { ...given, one_per_file: true } : given);
  const { next_cursor: next, results, files, references } = pageSchema.parse(body);
  const found = results.length + files.length + references.length;
  return { text: `${JSON.stringify(body)}\n`, isFound: found > 0, next: next ?? undefined, notes: [] };
}

async function readLines(send: Sender, asking: Asking, given: Given): Promise<Page> {
  const { files, matches, notes, reason = "", next_cursor: next } = grepAnswerSchema.parse(await readRoute(send, asking, given));
  const lines = files.flatMap((file) => {
    const path = given["repo"] === undefined ? `${file.repo}/${file.path}` : file.path;
    return file.matches.flatMap((match) => renderMatch(path, match));
  });
  const text = lines.map((line) => `${line}\n`).join("");
  return { text, isFound: matches > 0, next: next ?? undefined, notes: [...notes, reason].filter((note) => note !== "") };
}

function renderMatch(path: string, { line, text, before, after }: GrepMatch): readonly string[] {
  return [
    ...before.map((shown, index) => `${path}-${line - before.length + index}- ${shown}`),
    `${path}:${line}: ${text}`,
    ...after.map((shown, index) => `${path}-${line + 1 + index}- ${shown}`),
  ];
}
