import type { Command } from "commander";
import type { GateOptions, What } from "./gate.ts";

/** Declares `sightline eval` without loading what it does. */
export function addEval(program: Command): void {
  const command = program.command("eval").description("Compare experiments with a baseline, and stop CI where something got worse.");
  const [words, id] = ["<command...>", "[experiment]"];
  add("run", "run a command that evaluates, such as `-- python evals.py`, and gate the experiment that it made", words);
  add("compare", "show an experiment's scores beside those of its baseline", id);
  add("gate", "end with 1 where an experiment is worse than its baseline, and with 3 where that can't be told", id);

  function add(what: What, description: string, argument: string): void {
    const sub = command
      .command(what)
      .description(description)
      .argument(argument, what === "run" ? "after --" : "its id; without it the newest of --dataset and --branch")
      .option("--dataset <name>", "the dataset's name")
      .option("--branch <branch>", "the branch that was run; without it the one that is checked out")
      .option(
        "--baseline <branch or id>",
        "what it is compared with: the last three finished experiments of a branch, or one by its id",
        "main",
      )
      .option("--margin <difference>", "a smaller difference does not matter, in units of the score", "0.1")
      .option("--markdown <file>", "write the table there, too, such as to $GITHUB_STEP_SUMMARY")
      .option("--url <url>", "address of observability; without it OBS_API_URL")
      .addHelpText("after", HELP)
      .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2));
    if (what !== "compare") {
      sub
        .option("--primary <names>", "the scores that decide, joined by commas; without it all")
        .option("--allow-uncalibrated", "scores of judges that do not agree with people, as far as is known, may fail it, too")
        .option("--no-baseline", "judge required items alone")
        .option("--strict", "end with 4 where so few items can't tell")
        .option("--junit <file>", "write a JUnit report")
        .option("--comment", "comment on the pull request, or change the comment of the push before")
        .option("--status", "set the commit's status")
        .option("--console <url>", "address of the console, for the link; without it OBS_CONSOLE_URL")
        .option("--code-host <name>", "github, gitlab, gitea, forgejo or bitbucket; without it, and the four below, as CI says")
        .option("--code-host-api <url>", "where its API is, such as https://git.example.org/api/v1")
        .option("--repository <name>", "owner/name; on GitLab the project's id or path")
        .option("--commit <hash>", "the commit that has the status")
        .option("--pull-request <number>", "the pull or merge request that has the comment");
    }
    sub.action(async (given: readonly string[] | string | undefined, options: GateOptions) =>
      (await import("./gate.ts")).evaluate(what, [given ?? []].flat(), options),
    );
  }
}

const HELP = `
Reads OBS_API_URL, OBS_API_KEY (an API key of the project with "Evaluate") and OBS_PROJECT_ID. A job that an admin trusts has no key: it
sets SIGHTLINE_WORKLOAD to the audience of the rule.

--comment and --status need a token of the code host: GITHUB_TOKEN, GITLAB_TOKEN, GITEA_TOKEN, FORGEJO_TOKEN or BITBUCKET_TOKEN. Where the
host refuses, that is said, and what this ends with stays as it is.

Ends with 0 when nothing got worse (or so few items can't tell: a warning is printed), 1 when it got worse, 3 when runs, scores or the
baseline are missing, so that nothing is green that was not measured, 2 when it was called wrongly.

Examples:
  sightline eval run --dataset refunds -- python evals.py
  sightline eval gate --dataset refunds --baseline main
  sightline eval gate 019b2c1e-… --primary checks,exact_match --margin 0.05 --junit eval.xml`;
