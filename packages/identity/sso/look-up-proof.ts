import { Resolver } from "node:dns/promises";
import { LATE, within } from "@sightline/foundation/deadline";

/** A tenant proves a domain by a TXT record below this name of it. */
const LABEL = "_sightline-challenge";
/** A try of one name server, and all of them together. */
const TRY_MS = 2_000;
const TOGETHER_MS = 5_000;
const MAX_RECORDS = 50;
const MAX_CHARACTERS = 8_192;

/** The texts of the record, of which there may be none; or why they are not known. */
export type DnsAnswer = { readonly values: readonly string[] } | { readonly failure: string };

export type LookUpProof = (domain: string) => Promise<DnsAnswer>;

export const toRecordName = (domain: string): string => `${LABEL}.${domain}`;

/** @param servers `IDENTITY_DNS_SERVERS`; without any, those of the system are asked. */
export function createProofLookup(servers: readonly string[]): LookUpProof {
  return async (domain) => {
    const resolver = new Resolver({ timeout: TRY_MS, tries: 2 });
    if (servers.length > 0) {
      resolver.setServers(servers);
    }
    try {
      const records = await within(() => resolver.resolveTxt(toRecordName(domain)), TOGETHER_MS);
      return records === LATE ? { failure: "ETIMEOUT" } : readRecords(records);
    } catch (error) {
      const code = error instanceof Error && "code" in error ? String(error.code) : "EUNKNOWN";
      return ["ENOTFOUND", "ENODATA"].includes(code) ? { values: [] } : { failure: code };
    } finally {
      resolver.cancel();
    }
  };
}

/** A long value comes in pieces. */
function readRecords(records: readonly (readonly string[])[]): DnsAnswer {
  const values = records.map((pieces) => pieces.join(""));
  return records.length > MAX_RECORDS || values.join("").length > MAX_CHARACTERS ? { failure: "too much" } : { values };
}
