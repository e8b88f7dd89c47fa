import type { Command } from "commander";
import type { ConnectOptions } from "./connect.ts";

/** Declares `sightline connect` without loading what it does. */
export function addConnect(program: Command): void {
  program
    .command("connect")
    .description("Write Sightline's MCP server into the assistants on this machine. No token is written: each signs in, in the browser.")
    .argument("[assistants...]", "only these, such as claude-code cursor; without them all that are found here")
    .option("--url <url>", "address of the code index, or of its MCP endpoint, which ends in /mcp; without it that of CODEINDEX_PUBLIC_URL")
    .option("--yes", "write without asking")
    .option("--remove", "take the server out again")
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
    .action(async (assistants: readonly string[], options: ConnectOptions) => (await import("./connect.ts")).connect(assistants, options));
}
