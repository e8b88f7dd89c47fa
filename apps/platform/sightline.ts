#!/usr/bin/env node
import { createProgram } from "./program.ts";
import { reportFailure } from "./failure.ts";

try {
  await createProgram().parseAsync();
} catch (error) {
  reportFailure(error);
}
