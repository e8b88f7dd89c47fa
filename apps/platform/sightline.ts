#!/usr/bin/env node
import { createProgram } from "./program.ts";
import { loadEnvironmentFile } from "./environment.ts";
import { reportFailure } from "./failure.ts";

try {
  loadEnvironmentFile();
  await createProgram().parseAsync();
} catch (error) {
  reportFailure(error);
}
