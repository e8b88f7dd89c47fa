import { createHousekeeping, type HousekeepingOptions } from "./housekeeping.ts";

type Options = { readonly database: { readonly query: HousekeepingOptions["query"] } } & Pick<
  HousekeepingOptions,
  "log" | "clock" | "wakenBy" | "directNodes"
>;

type Living = { readonly start: () => Promise<void>; readonly stop: () => Promise<void> };

/** Every role with the database does housekeeping, so that it is done whichever roles run. The direct nodes are closed when both have stopped. */
export function withHousekeeping<Part extends Living>(part: Part, { database, log, clock, wakenBy, directNodes }: Options): Part {
  const housekeeping = createHousekeeping({ query: database.query, log, clock, wakenBy, directNodes });
  return {
    ...part,
    start: async () => {
      await part.start();
      housekeeping.start();
    },
    stop: async () => {
      await housekeeping.stop();
      await part.stop();
      await directNodes?.close();
    },
  };
}
