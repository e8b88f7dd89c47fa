import type { Command } from "commander";
import type { PullOptions, PushOptions } from "./sync.ts";

/** Declares `sightline prompts` without loading what it does. */
export function addPrompts(program: Command): void {
  const command = program.command("prompts").description("Keep prompts in a repository: one file a prompt, named by its path.");
  const url = ["--url <url>", "address of observability; without it OBS_API_URL"] as const;
  command
    .command("push")
    .description("make a version of each prompt whose file says something else than its newest version")
    .argument("[folder]", "where the files are", "prompts")
    .option("--label <labels>", "labels that these versions get, joined by commas, such as staging")
    .option("--reason <text>", "why, such as the commit's subject")
    .option("--dry-run", "only say what would be made")
    .option(...url)
    .addHelpText("after", HELP)
    .action(async (folder: string, options: PushOptions) => (await import("./sync.ts")).pushPrompts(folder, options));
  command
    .command("pull")
    .description("write each prompt into its file; files of other prompts stay")
    .argument("[folder]", "where to", "prompts")
    .option("--label <label>", "the version that has this label; prompts without it are left out", "latest")
    .option(...url)
    .addHelpText("after", HELP)
    .action(async (folder: string, options: PullOptions) => (await import("./sync.ts")).pullPrompts(folder, options));
  command
    .command("list")
    .description("show the prompts, their newest versions and labels")
    .option(...url)
    .action(async (options: { url?: string }) => (await import("./sync.ts")).showPrompts(options));
}

const HELP = `
support/greeting.md is the text of the prompt support/greeting. Where it has a config, that stands before it as JSON between two lines of ---:
  ---
  {"model": "gpt-5", "temperature": 0.2}
  ---
  Hello {{name}}!
support/chat.json is a prompt of messages: {"template": [{"role": "system", "content": "…"}], "config": {}}

Reads OBS_API_URL, OBS_API_KEY and OBS_PROJECT_ID. The key needs "Evaluate" to push ("Read prompts" to pull), and "Release to production" for
--label production.`;
