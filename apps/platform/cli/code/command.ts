import type { Command } from "commander";
import { reportFailure } from "#settings/failure.ts";
import type { AskOptions, Subject } from "./ask.ts";

/** Declares `sightline search`, `grep` and `refs` without loading what they do. */
export function addCode(program: Command): void {
  add("search", "Search code by meaning, words and letters at once; prints what the MCP tool search answers.", "<query...>")
    .option("--max-tokens <number>", "how long the answer may be, 400 to 12000 tokens (default: 2000)")
    .option("--min-commit <hash>", "wait until the index of --repo holds this commit")
    .option("--wait-ms <number>", "how long to wait for it, 10000 at the most")
    .addHelpText("after", `${ENVIRONMENT}\n${SEARCH_EXAMPLES}\n${CODES}`);
  add("grep", "Print every line that holds a text or matches an expression, as path:line: text.", "<pattern>")
    .option("--regex", "the pattern is a regular expression (RE2), no text to find letter for letter")
    .option("--case <case>", "sensitive, insensitive, or smart: sensitive where the pattern has a capital letter (default: sensitive)")
    .option("--context <number>", "lines before and after each match, 10 at the most, as path-line- text")
    .addHelpText("after", `${ENVIRONMENT}\n${GREP_EXAMPLES}\n${CODES}`);
  add("refs", "Show where a name is defined and used; prints what the MCP tool find_references answers.", "<symbol>")
    .option("--position <file:line:column>", "a place in --repo where the name stands: only that very symbol")
    .option("--kind <kind>", "implementation: only what extends or implements it")
    .option("--text", "also definitions, strings, comments and files without a grammar")
    .option("--max-tokens <number>", "how long the answer may be, 400 to 12000 tokens (default: 2000)")
    .addHelpText("after", `${ENVIRONMENT}\n${REFS_EXAMPLES}\n${CODES}`);

  function add(subject: Subject, description: string, asked: string): Command {
    return program
      .command(subject)
      .description(description)
      .argument(asked)
      .option("--repo <name>", "owner/repo, or . for that of this checkout's origin; all without it")
      .option("--path <part>", "part of the path, such as src/server/ or *.test.ts")
      .option("--lang <language>", "such as python or ts")
      .option("--ref <branch>", "an indexed branch; the default one without it")
      .option("--limit <number>", "how many on a page")
      .option("--cursor <cursor>", "go on where the page before ended")
      .option("--all", "every page")
      .option("--json", "a line of JSON for each page, as the HTTP API answers")
      .option("--url <url>", "address of the code index; without it that of CODEINDEX_PUBLIC_URL")
      .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
      .action(async (words: readonly string[] | string, options: AskOptions) =>
        (await import("./ask.ts")).ask(subject, [words].flat().join(" "), options).catch((error: unknown) => reportFailure(error, 2)),
      );
  }
}

const ENVIRONMENT = `
The token is read from SIGHTLINE_TOKEN: a developer token, which Connect in the console makes.

Examples:`;

const CODES = "\nEnds with 0 when something was found, 1 when nothing was, 2 when it could not be asked.";

const SEARCH_EXAMPLES = `  sightline search where are retries backed off --repo acme/shop
  sightline search 'parseConfig path:src/' --max-tokens 6000
  npx --yes https://console.example.org/sdk/sightline-cli.tgz search parseConfig --url https://sightline.example.org`;

const GREP_EXAMPLES = `  sightline grep TODO --repo . --all
  sightline grep --regex 'retr(y|ies)' --case smart --path '*.py'
  vim -q <(sightline grep parseConfig --repo .)`;

const REFS_EXAMPLES = `  sightline refs Server.start --repo acme/shop
  sightline refs parse --repo . --position src/cli.ts:12:7
  sightline refs parse --json --all | jq -r '.references[] | "\\(.path):\\(.line): \\(.text)"'`;
