import { isNodeLost } from "@sightline/foundation/database-unavailable";
import { errorCode } from "@sightline/foundation/errors";

/**
 * Counting sends parts of its statements to every node of a cluster. While one is away, who reads a project on another gets what is counted of it.
 *
 * @returns `otherwise` when a connection to a node fails.
 */
export async function unlessNodeIsAway<Result>(work: () => Promise<Result>, otherwise: Result): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    // SQLSTATE class 08 is of connections; what Citus says of one that it lost in the middle has no class of its own.
    if (error instanceof Error && (/^08[0-9A-Z]{3}$/.test(errorCode(error) ?? "") || isNodeLost(error))) {
      return otherwise;
    }
    throw error;
  }
}
