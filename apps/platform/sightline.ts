#!/usr/bin/env node
import { createProgram } from "./cli/program.ts";
import { reportFailure } from "./settings/failure.ts";

try {
  await createProgram().parseAsync();
} catch (error) {
  reportFailure(error);
}
