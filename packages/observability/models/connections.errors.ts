import { refusal } from "@sightline/foundation/errors";
import { MAX_CONNECTIONS } from "#contract.ts";

export const connectionNotFound = () =>
  refusal(404, "model_connection_not_found", "The project has no such connection; GET …/model-connections lists those it has.");
export const addressByAdmins = () =>
  refusal(
    403,
    "address_by_admins",
    "Another address than the provider's own is entered by admins of the tenant. Leave base_url out, or ask one.",
  );
export const addressNotPlain = () =>
  refusal(400, "invalid_address", "The address has no name, password, ? or # in it; give the key as key.");
export const connectionNotMade = (name: string) =>
  refusal(
    409,
    "model_connection_not_made",
    `The project has a connection called ${name}, or ${MAX_CONNECTIONS} connections, which is the most. Choose another name, or delete some.`,
  );
