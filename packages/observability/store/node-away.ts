/**
 * Counting sends parts of its statements to every node of a cluster. While one is away nothing is written either, so that of the projects on the
 * others nearly all is counted, and who reads them gets that.
 *
 * @returns `otherwise` when a connection to a node fails.
 */
export async function unlessNodeIsAway<Result>(work: () => Promise<Result>, otherwise: Result): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (isNodeAway(error)) {
      return otherwise;
    }
    throw error;
  }
}

/** SQLSTATE class 08 is of connections; what Citus says of one that it lost in the middle has no class of its own. */
function isNodeAway(error: unknown): boolean {
  if (!(error instanceof Error)) {
    return false;
  }
  const code = "code" in error ? String(error.code) : "";
  return /^08[0-9A-Z]{3}$/.test(code) || error.message.startsWith("failure on connection marked as essential");
}
