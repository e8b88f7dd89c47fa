const LINES_OF_STACK = 12;

/** What somebody needs to know who looks for the fault; without the search of the address, where there may be words that were typed. */
export function writeReport(error: unknown, address: string): string {
  const { origin, pathname } = new URL(address);
  const stack = error instanceof Error ? (error.stack ?? "").split("\n").slice(0, LINES_OF_STACK) : [];
  const words = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  const first = stack[0]?.startsWith(words) === true ? [] : [words];
  return [`Page: ${origin}${pathname}`, ...first, ...stack].join("\n");
}
