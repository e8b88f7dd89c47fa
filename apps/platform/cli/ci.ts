#!/usr/bin/env node
import { Command } from "commander";
import { reportFailure } from "#settings/failure.ts";
import { version } from "#settings/version.ts";
import { addCode } from "./code/command.ts";
import { addEval } from "./eval/command.ts";
import { addImport } from "./import/command.ts";
import { addPrompts } from "./prompts/command.ts";
import { addUploadScip } from "./upload-scip-command.ts";

/** The commands for shells and CI, which `@sightline/cli` is built from: one file, that needs neither the product nor another package. */
const program = new Command("sightline")
  .description("What shells and CI ask of a Sightline that runs elsewhere.")
  .version(version, "-V, --version")
  .showHelpAfterError()
  .showSuggestionAfterError();
addCode(program);
addUploadScip(program);
addEval(program);
addImport(program);
addPrompts(program);

try {
  await program.parseAsync();
} catch (error) {
  reportFailure(error);
}
