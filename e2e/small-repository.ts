import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";

export type SmallRepository = { readonly cloneUrl: string; readonly commit: string; readonly remove: () => void };

const FILES: Readonly<Record<string, string>> = {
  "README.md": "# Webshop\n\nOrders, payments and stock of the shop.\n",
  "src/payment/retry-failed-payment.ts": `import type { Gateway, Payment } from "./gateway.ts";

const LONGEST_PAUSE_MS = 60_000;

/** How long to wait before a failed payment is tried again: it doubles with every attempt. */
export function pauseBeforeRetry(attempt: number): number {
  return Math.min(1000 * 2 ** attempt, LONGEST_PAUSE_MS);
}

/** Tries a failed payment again until the gateway takes it or its attempts are used up. */
export async function retryFailedPayment(gateway: Gateway, payment: Payment): Promise<boolean> {
  for (let attempt = payment.attempts; attempt < 5; attempt += 1) {
    if (await gateway.charge(payment)) {
      return true;
    }
    await gateway.sleep(pauseBeforeRetry(attempt));
  }
  return false;
}
`,
  "src/payment/gateway.ts": `export type Payment = { readonly orderId: string; readonly cents: number; readonly attempts: number };

export type Gateway = {
  readonly charge: (payment: Payment) => Promise<boolean>;
  readonly sleep: (milliseconds: number) => Promise<void>;
};
`,
  "src/stock/reserve.py": `"""Reserves items of the warehouse for an order."""


def reserve_items(stock, order):
    missing = [item for item in order.items if stock.get(item.sku, 0) < item.count]
    if missing:
        raise LookupError(f"not in stock: {missing}")
    for item in order.items:
        stock[item.sku] -= item.count
`,
};

/** A git repository with a handful of files, always the same commit. */
export function makeSmallRepository(): SmallRepository {
  const folder = mkdtempSync(join(tmpdir(), "sightline-webshop-"));
  for (const [path, content] of Object.entries(FILES)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  const at = "2026-01-05T09:00:00Z";
  const env = { ...process.env, GIT_AUTHOR_DATE: at, GIT_COMMITTER_DATE: at, GIT_CONFIG_GLOBAL: "/dev/null" };
  const git = (...words: string[]) =>
    execFileSync("git", ["-c", "user.name=Ada", "-c", "user.email=ada@example.org", ...words], { cwd: folder, env, encoding: "utf8" });
  git("init", "--quiet", "--initial-branch=main");
  git("add", ".");
  git("commit", "--quiet", "--message=Sell things");
  return {
    cloneUrl: pathToFileURL(folder).href,
    commit: git("rev-parse", "HEAD").trim(),
    remove: () => rmSync(folder, { recursive: true }),
  };
}
