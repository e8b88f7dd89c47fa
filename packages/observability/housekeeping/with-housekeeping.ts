import { createHousekeeping, type HousekeepingOptions } from "./housekeeping.ts";

type Options = { readonly database: { readonly query: HousekeepingOptions["query"] } } & Pick<
  HousekeepingOptions,
  "log" | "clock" | "wakenBy"
>;

type Living = { readonly start: () => Promise<void>; readonly stop: () => Promise<void> };

/** Every role with the database does housekeeping, so that it is done whichever roles run. */
export function withHousekeeping<Part extends Living>(part: Part, { database, log, clock, wakenBy }: Options): Part {
  const housekeeping = createHousekeeping({ query: database.query, log, clock, wakenBy });
  return {
    ...part,
    start: async () => {
      await part.start();
      housekeeping.start();
    },
    stop: async () => {
      await housekeeping.stop();
      await part.stop();
    },
  };
}
