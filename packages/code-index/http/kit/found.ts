import { refusal } from "@sightline/foundation/errors";
import { z } from "zod";

/** What there may be none of; it is said in the same words of another tenant's, of one that is being deleted, and of none at all. */
const MISSING = {
  credential: "There is no credential with this id; GET /api/v1/credentials lists them.",
  delivery: "There is no delivery with this id; GET /api/v1/webhooks/deliveries lists those of the last 30 days.",
  developer_token: "There is no such developer token; GET /api/v1/developer-tokens lists them.",
  job: "There is no job with this id; GET /api/v1/jobs lists them.",
  repository: "There is no repository with this id; GET /api/v1/repos lists them, and POST /api/v1/repos registers one.",
  saved_search: "You have no saved search with this id; GET /api/v1/saved-searches lists them.",
} as const;

/** @throws {AppError} `<what>_not_found` (404) when there is none. */
export function found<Row>(what: keyof typeof MISSING, row: Row | undefined): Row {
  if (row === undefined) {
    throw refusal(404, `${what}_not_found`, MISSING[what]);
  }
  return row;
}

/** @throws {AppError} as `found` for what can't be an identifier at all. */
export function parseId(what: keyof typeof MISSING, given: string): string {
  return found(what, z.uuid().safeParse(given).data);
}
