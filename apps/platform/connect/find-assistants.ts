import { existsSync } from "node:fs";
import which from "which";
import { ASSISTANTS, type Assistant } from "./assistants.ts";
import type { Machine } from "./places.ts";

/** The assistants that left something in the home, or whose program would be started by its name. */
export async function findAssistants(machine: Machine): Promise<readonly Assistant[]> {
  const found = await Promise.all(ASSISTANTS.map((assistant) => isHere(machine, assistant)));
  return ASSISTANTS.filter((_, index) => found[index]);
}

async function isHere(machine: Machine, { traces, files, programs }: Assistant): Promise<boolean> {
  if ([...traces(machine), ...files(machine)].some((path) => existsSync(path))) {
    return true;
  }
  const path = machine.environment["PATH"] ?? machine.environment["Path"] ?? "";
  const started = await Promise.all(programs.map((program) => which(program, { nothrow: true, path })));
  return started.some((program) => program !== null);
}
