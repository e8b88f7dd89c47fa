import { Option, type Command } from "commander";
import type { ConnectOptions } from "./connect.ts";

/** Declares `sightline connect` without loading what it does. */
export function addConnect(program: Command): void {
  program
    .command("connect")
    .description("Write Sightline's MCP server into the assistants on this machine: shows what would change, then asks.")
    .option("--url <url>", "address of the MCP endpoint, which ends in /mcp; without it that of CODEINDEX_PUBLIC_URL")
    .option("--only <names>", "only these assistants, separated by commas")
    .option("--token-stdin", "read the token from stdin; needs --yes or --dry-run")
    .option("--no-token", "write no token, for assistants that sign in by OAuth")
    .addOption(new Option("--token <token>").hideHelp())
    .option("--yes", "write without asking")
    .option("--dry-run", "show what would change and write nothing")
    .option("--undo", "take out what this command wrote, and leave everything else byte for byte")
    .addHelpText("after", HELP)
    // What a script asked for wrongly must not look like a file that could not be written.
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
    .action(async (options: ConnectOptions) => (await import("./connect.ts")).connect(options));
}

const HELP = `
Assistants: claude-code, cursor, vs-code, codex, gemini-cli, opencode, windsurf, zed

The token is read from SIGHTLINE_TOKEN, or asked for without showing it. From SIGHTLINE_TOKEN, assistants that can are told to read
that variable themselves, so that the token is in no file; otherwise it is written into files that only you can read.

Examples:
  sightline connect                                        ask for the token, show the changes, ask
  sightline connect --dry-run --no-token                   only look
  sightline connect --url https://sightline.example.org --only claude-code,cursor
  pass sightline | sightline connect --token-stdin --yes   from a password manager
  sightline connect --undo

Ends with 0 when all is done or nothing was to do, 1 when something failed, 2 when it was called wrongly.`;
