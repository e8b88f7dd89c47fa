import { parseArgs } from "node:util";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { countTokens } from "#tokens/count-tokens.ts";
import { QUESTIONS, gitOf, type ToolCall } from "./assistant-questions.ts";
import { repositoryName } from "./git.ts";

const HELP = `npm run eval:assistant -- gin click jq

Asks a running product eight questions that assistants are asked, through the official MCP client: once by the tools of code alone and once by
those that know commits too. Prints the calls and tokens of each way, and whether all that git says is in the answers.

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
const rows: Readonly<Record<string, string | number>>[] = [];
for (const { repo, language, question, before, after, facts } of QUESTIONS) {
  const folder = folders.get(repo.split("/").at(-1) ?? "");
  if (folder === undefined) {
    throw new Error(`No folder of ${repo} was given.`);
  }
  const wanted = facts(gitOf(folder));
  const [old, now] = [await walk(before, wanted), await walk(after, wanted)];
  rows.push({
    repo,
    language,
    question,
    "calls before": old.calls,
    tokens: old.tokens,
    answer: old.answer,
    calls: now.calls,
    "tokens now": now.tokens,
    "answer now": now.answer,
  });
}
await client.close();
console.table(rows);
console.log(JSON.stringify(rows));
process.exitCode = rows.every((row) => row["answer now"] === "whole") ? 0 : 1;

type Walked = { readonly calls: number; readonly tokens: number; readonly answer: string };

async function walk(calls: readonly ToolCall[], wanted: readonly string[]): Promise<Walked> {
  let seen = "";
  let tokens = 0;
  for (const call of calls) {
    const [name, given] = call(seen);
    const { content, isError } = await client.callTool({ name, arguments: given });
    const text = content.map((part) => (part.type === "text" ? part.text : "")).join("");
    if (isError === true) {
      throw new Error(`${name} ${JSON.stringify(given)}: ${text}`);
    }
    tokens += countTokens(text) + countTokens(JSON.stringify({ name, arguments: given }));
    seen += `${text}\n`;
  }
  const found = wanted.filter((fact) => seen.includes(fact)).length;
  return {
    calls: calls.length,
    tokens,
    answer: wanted.length > 0 && found === wanted.length ? "whole" : `${found} of ${wanted.length} facts`,
  };
}
