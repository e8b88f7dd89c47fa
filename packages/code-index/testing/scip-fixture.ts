import { readFile } from "node:fs/promises";

/** The sources of a repository that two tools were run on, each in its own folder. */
export const SCIP_SOURCES: Readonly<Record<string, string>> = {
  "web/src/pay.ts": `/** A card that money is taken from. */
export class Card {
  constructor(readonly limit: number) {}

  /** Takes the money. */
  charge(amount: number): number {
    const rest = this.limit - amount;
    return rest;
  }
}

export class Till {
  charge(): string {
    return "kept";
  }
}
`,
  "web/src/shop.ts": `import { Card as Plastic, Till } from "./pay";

const card = new Plastic(10);
const till = new Till();

export function buy(rest: number): number {
  till.charge();
  return card.charge(rest);
}
`,
  "web/tsconfig.json": `{"compilerOptions":{"strict":true,"target":"es2022","noLib":true,"types":[]},"include":["src"]}
`,
  "web/package.json": `{"name":"shop","version":"1.0.0"}
`,
  "py/shop/stock.py": `class Shelf:
    """Where things lie."""

    def take(self, count: int) -> int:
        """Takes things off."""
        return count


class Queue:
    def take(self) -> str:
        return "next"
`,
  "py/shop/sale.py": `from .stock import Queue, Shelf

shelf = Shelf()
queue = Queue()


def sell(count: int) -> int:
    queue.take()
    return shelf.take(count)
`,
};

/**
 * What the tools wrote, as they wrote it: in `web`, `scip-typescript index` (0.4), in `py`, `scip-python index . --project-name shop
 * --project-version 1.0.0` (0.6), which also saw an empty `shop/__init__.py`.
 */
export function scipFixture(name: "typescript" | "python"): Promise<Buffer> {
  return readFile(new URL(`scip/${name}.scip`, import.meta.url));
}
