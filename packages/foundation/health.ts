import { LATE, within } from "./deadline.ts";
import { errorMessage } from "./errors.ts";

/** A dependency of the product; `check` throws when it is not there. */
export type Check = {
  readonly name: string;
  readonly check: () => Promise<void>;
};

export type CheckResult = { readonly status: "up" } | { readonly status: "down"; readonly error: string };

const CHECK_MS = 2_000;

/** Runs the checks at once; one that takes over two seconds counts as down. */
export async function runChecks(checks: readonly Check[]): Promise<Readonly<Record<string, CheckResult>>> {
  const results = await Promise.all(checks.map(async (check) => [check.name, await runCheck(check)] as const));
  return Object.fromEntries(results);
}

export async function runCheck({ check }: Check): Promise<CheckResult> {
  try {
    return (await within(check, CHECK_MS)) === LATE ? { status: "down", error: `no answer within ${CHECK_MS} ms` } : { status: "up" };
  } catch (error) {
    return { status: "down", error: errorMessage(error) };
  }
}
