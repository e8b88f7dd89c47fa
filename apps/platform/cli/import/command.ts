import type { Command } from "commander";
import type { LangfuseOptions } from "./import-langfuse.ts";

/** Declares `sightline import` without loading what it does. */
export function addImport(program: Command): void {
  const command = program.command("import").description("Bring datasets and experiments along; a second time it only adds what is new.");
  command
    .command("langfuse")
    .description("datasets, items, runs and their scores, and prompts from a Langfuse project (version 3 or 4), by its public API")
    .option("--outputs", "read what runs put out from their traces, one request each; version 4 gives it anyway")
    .option("--url <url>", "address of observability; without it OBS_API_URL")
    .addHelpText("after", HELP)
    .action(async (options: LangfuseOptions) => (await import("./import-langfuse.ts")).importLangfuse(options));
  command
    .command("jsonl")
    .description("items of a dataset from a file of JSON lines")
    .argument("<file>", "each line has input and, where there is more to say, expected, checks, metadata, split, required, id")
    .requiredOption("--dataset <name>", "the dataset, which is made where it is not there")
    .option("--url <url>", "address of observability; without it OBS_API_URL")
    .action(async (file: string, options: { dataset: string; url?: string }) =>
      (await import("./import-jsonl.ts")).importJsonl(file, options),
    );
}

const HELP = `
Reads LANGFUSE_PUBLIC_KEY, LANGFUSE_SECRET_KEY and LANGFUSE_HOST (https://cloud.langfuse.com without it); writes with OBS_API_URL,
OBS_API_KEY (an API key of the project with "Evaluate") and OBS_PROJECT_ID.

Ends with a table: of each kind how many were read, written, there already and left out, and why.`;
