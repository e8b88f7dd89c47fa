import type { Command } from "commander";
import type { UploadOptions } from "./upload-scip.ts";

/** Declares `sightline upload-scip` without loading what it does. */
export function addUploadScip(program: Command): void {
  program
    .command("upload-scip")
    .description("Upload a SCIP index from CI, which makes definitions and references of the commit's files exact.")
    .argument("<file>", "what scip-typescript, scip-python or another indexer wrote, such as index.scip")
    .option("--repo <name or id>", "the repository in Sightline; without it what the CI says, or owner/repo of the remote origin")
    .option("--commit <hash>", "the commit that was indexed; without it git rev-parse HEAD, or what the CI says")
    .option("--url <url>", "address of the code index; without it that of CODEINDEX_PUBLIC_URL")
    .option("--wait <seconds>", "how long to wait for the commit to be indexed", "60")
    .addHelpText("after", HELP)
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
    .action(async (file: string, options: UploadOptions) => (await import("./upload-scip.ts")).uploadScip(file, options));
}

const HELP = `
The token is read from SIGHTLINE_TOKEN: a developer token with "Upload SCIP indexes", which Connect in the console makes. A job that an
admin trusts has none: it sets SIGHTLINE_WORKLOAD to the audience of the rule.

Examples:
  npx @sourcegraph/scip-typescript index && sightline upload-scip index.scip --url https://sightline.example.org
  npx --yes https://console.example.org/sdk/sightline-cli.tgz upload-scip index.scip --url https://sightline.example.org
  scip-python index . --project-name shop && sightline upload-scip index.scip --repo acme/shop

Ends with 0 when it was uploaded, 1 when it was refused or could not be sent, 2 when it was called wrongly.`;
