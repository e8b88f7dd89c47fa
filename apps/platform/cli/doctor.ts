import { diagnose } from "#doctor/diagnose.ts";
import { resolveSetting } from "#settings/environment.ts";
import { styleText } from "node:util";
import type { Finding } from "#doctor/diagnose-stores.ts";

const MARKS = { ok: ["green", "ok"], warning: ["yellow", "note"], error: ["red", "broken"] } as const;

/** `sightline doctor`: exits with 1 when something is broken. */
export async function doctor(): Promise<void> {
  const findings = await diagnose(resolveSetting(process.env), process.env);
  for (const finding of findings) {
    console.log(render(finding));
  }
  const broken = findings.filter(({ state }) => state === "error").length;
  console.log(
    broken === 0 ? "\nEverything that a start needs is there." : `\n${broken} thing${broken === 1 ? "" : "s"} to fix before a start.`,
  );
  process.exitCode = broken === 0 ? 0 : 1;
}

function render({ state, what, found, fix }: Finding): string {
  const [color, mark] = MARKS[state];
  const remedy = fix === undefined ? "" : `\n${" ".repeat(9)}→ ${fix}`;
  return `${styleText(color, mark.padEnd(8))} ${what.padEnd(22)} ${found}${remedy}`;
}
