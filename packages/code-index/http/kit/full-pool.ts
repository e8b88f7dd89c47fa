import { isPoolFull, poolFull } from "@sightline/foundation/database-unavailable";
import type { Routes } from "@sightline/foundation/http/http-server";

/** Answers a pool that has no connection to give with the status of the contract, 500; it is 503 where no contract says so. */
export function withStatusOfContract(routes: Routes): Routes {
  return async (scope) => {
    scope.setErrorHandler<Error>((error) => {
      throw isPoolFull(error) ? poolFull(500, error) : error;
    });
    await routes(scope);
  };
}
