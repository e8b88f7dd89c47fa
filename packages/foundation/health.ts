import { messageOf } from "./errors.ts";

/** Something the product stands on; `check` throws when it is not there. */
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
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<CheckResult>((resolve) => {
    timer = setTimeout(() => resolve({ status: "down", error: `no answer within ${CHECK_MS} ms` }), CHECK_MS);
  });
  const done = attempt(check).then(
    (): CheckResult => ({ status: "up" }),
    (error: unknown): CheckResult => ({ status: "down", error: messageOf(error) }),
  );
  const result = await Promise.race([done, late]);
  clearTimeout(timer);
  return result;
}

/** A throw of a check that should have returned a promise is a rejection like any other. */
async function attempt(check: Check["check"]): Promise<void> {
  await check();
}
