import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Command } from "commander";
import { expect, test } from "vitest";
import { root } from "#testing/read-documents.ts";
import { createProgram } from "./program.ts";

/**
 * Commands that reach identity, by the doors of it that they call. What each door may change, and the rule that holds it then, is tried by
 * `packages/identity/session/require-factor.test.ts` and `packages/identity/rules.test.ts`, which name every door.
 */
const DOORS: Readonly<Record<string, readonly string[]>> = {
  start: ["signAudit", "ensureTenant", "listTenants", "ensureFirstAdmin"],
  role: [],
  prepare: ["signAudit", "ensureTenant", "listTenants", "ensureFirstAdmin"],
  "prepare-child": ["signAudit", "ensureTenant", "listTenants", "ensureFirstAdmin"],
  demo: ["issueCommandToken"],
  "admin create": ["createAdmin"],
  "admin list": ["host.listAdmins"],
  "admin reset-password": ["host.resetPassword"],
  "admin reset-2fa": ["host.resetSecondFactor"],
  "admin unlock-2fa": ["host.unlockSecondFactor"],
  "audit verify": ["verifyAudit"],
  "audit export": ["exportAudit"],
  "audit anchor": ["anchorAudit"],
  "audit accept-restore": ["describeRestore", "acceptRestore"],
  "keys status": ["keys.status"],
  "keys rotate": ["keys.reseal", "keys.rotateSigningKey"],
  "tenant add": ["ensureTenant"],
  "tenant list": ["listTenants"],
  "tenant delete": ["host.deleteTenant"],
};

/** Commands that change nothing of identity: revisions of the databases, and what asks the APIs as anybody does. */
const OTHERS = [
  "cluster distribute",
  "cluster place",
  "cluster status",
  "connect",
  "doctor",
  "eval compare",
  "eval gate",
  "eval run",
  "grep",
  "import jsonl",
  "import langfuse",
  "migrate down",
  "migrate status",
  "migrate up",
  "prompts list",
  "prompts pull",
  "prompts push",
  "refs",
  "search",
  "upload-scip",
];

function leaves(command: Command, before = ""): readonly string[] {
  const name = `${before} ${command.name()}`.trim();
  return command.commands.length === 0 ? [name] : command.commands.flatMap((one) => leaves(one, name));
}

test("every command stands here with what of identity it may change, and every door is tried", async () => {
  const commands = createProgram().commands.flatMap((command) => leaves(command));
  expect(commands.toSorted()).toEqual([...Object.keys(DOORS), ...OTHERS].toSorted());
  const tried = await readFile(join(root, "packages/identity/testing/commands-and-tasks.ts"), "utf8");
  const names = Object.values(DOORS).flat();
  expect(names.filter((name) => !tried.includes(`  "${name}": {`) && !tried.includes(`  ${name}: {`))).toEqual([]);
});
