import { parseArgs } from "node:util";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { countTokens } from "#tokens/count-tokens.ts";
import { QUESTIONS, gitOf, type Question, type ToolCall } from "./assistant-questions.ts";
import { repositoryName } from "./git.ts";

/** All questions in so many calls, and so many tokens of calls and answers. */
const MAX_CALLS = 45;
const MAX_TOKENS = 22_000;
/** So many of the facts that an answer lacks are printed. */
const SHOWN = 5;

const HELP = `npm run eval:assistant -- gin click jq

Asks a running product what assistants are asked of ${QUESTIONS.length} kinds, through the official MCP client. Prints the calls and tokens of each, and
whether all that git says is in the answers. Fails unless all are whole in ${MAX_CALLS} calls and ${MAX_TOKENS} tokens.

  gin click jq     folders of clones of gin-gonic/gin, pallets/click and jqlang/jq, by those names; the product has them indexed at the same commits
  SIGHTLINE_MCP    the address, such as http://localhost:8080/mcp
  SIGHTLINE_TOKEN  a developer token`;

const { values, positionals } = parseArgs({ allowPositionals: true, options: { help: { type: "boolean", short: "h", default: false } } });
const [address, token] = [process.env["SIGHTLINE_MCP"], process.env["SIGHTLINE_TOKEN"]];
if (values.help || address === undefined || token === undefined || positionals.length === 0) {
  console.log(HELP);
  process.exit(values.help ? 0 : 1);
}

const client = new Client({ name: "evaluation", version: "1" });
const requestInit = { headers: { authorization: `Bearer ${token}` } };
await client.connect(new StreamableHTTPClientTransport(new URL(address), { requestInit }));
const folders = new Map(positionals.map((path) => [repositoryName(path), path]));
const rows: Readonly<Walked & Pick<Question, "repo" | "question">>[] = [];
for (const { repo, question, calls, facts } of QUESTIONS) {
  const folder = folders.get(repo.split("/").at(-1) ?? "");
  if (folder === undefined) {
    throw new Error(`No folder of ${repo} was given.`);
  }
  rows.push({ repo, question, ...(await walk(calls, facts(gitOf(folder)))) });
}
await client.close();
console.table(rows);
const sum = (of: (row: Walked) => number) => rows.reduce((total, row) => total + of(row), 0);
const total = {
  whole: rows.filter(({ answer }) => answer === "whole").length,
  calls: sum(({ calls }) => calls),
  tokens: sum(({ tokens }) => tokens),
};
console.log(JSON.stringify({ rows, total }));
process.exitCode = total.whole === rows.length && total.calls <= MAX_CALLS && total.tokens <= MAX_TOKENS ? 0 : 1;

type Walked = { readonly calls: number; readonly tokens: number; readonly answer: string };

async function walk(calls: readonly ToolCall[], wanted: readonly string[]): Promise<Walked> {
  let seen = "";
  let tokens = 0;
  for (const call of calls) {
    const [name, given] = call(seen);
    const { content, isError } = await client.callTool({ name, arguments: given });
    const text = content.map((part) => (part.type === "text" ? part.text : "")).join("");
    if (isError === true) {
      console.error(`${name} ${JSON.stringify(given)}: ${text}`);
    }
    tokens += countTokens(text) + countTokens(JSON.stringify({ name, arguments: given }));
    seen += `${text}\n`;
  }
  const missing = wanted.filter((fact) => !seen.includes(fact));
  if (missing.length > 0) {
    console.error(`Missing: ${missing.slice(0, SHOWN).join(" | ")}`);
  }
  return {
    calls: calls.length,
    tokens,
    answer: wanted.length > 0 && missing.length === 0 ? "whole" : `${wanted.length - missing.length} of ${wanted.length} facts`,
  };
}
