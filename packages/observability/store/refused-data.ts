/**
 * SQLSTATE classes that blame the data: cardinality, data exceptions, integrity, raised by a function,
 * limits of the program. All others (connections, resources, deadlocks, missing tables, …) blame the database.
 */
const DATA_CLASSES = new Set(["21", "22", "23", "54", "P0"]);

/** Whether a write failed because of what was written, so that trying the same again is no use. */
export function isRefusedData(error: unknown): boolean {
  return error instanceof RangeError || error instanceof TypeError || DATA_CLASSES.has(getSqlState(error).slice(0, 2));
}

/** Empty of what is no error of the database. */
export function getSqlState(error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" && /^[0-9A-Z]{5}$/.test(code) ? code : "";
}
