import { hostname, userInfo } from "node:os";
import { readHead, UNPREPARED } from "./audit.ts";
import { onParts } from "./on-database.ts";

/** `sightline audit accept-restore`: shows what would be accepted and ends with 1, until its head is confirmed. */
export async function acceptRestore(options: { readonly head?: string }): Promise<void> {
  const confirmed = readHead("--head", options.head);
  return onParts(
    "audit",
    async ({ identity }) => {
      const { head, lost, unfit } = await identity.describeRestore();
      const { intact, problem } = await identity.verifyAudit();
      console.log(intact ? "The audit is whole, as far as this host knows." : `What is wrong: ${problem ?? ""}`);
      console.log(`In this database: ${head === undefined ? "no end" : `${head.rows} rows, head ${head.hash.toString("hex")}`}`);
      console.log(`Given up: ${lost}`);
      if (unfit.length > 0) {
        console.log(`Signatures in the database that do not fit, to be deleted: ${unfit.length}`);
      }
      if (confirmed === undefined) {
        const next = `sightline audit accept-restore --head ${head?.hash.toString("hex") ?? "…"}`;
        throw new Error(`Nothing was accepted. If you restored or exchanged this database yourself, repeat: ${next}`);
      }
      const { lastId, hash } = await identity.acceptRestore({ head: confirmed, by: operator() });
      console.log(`Accepted, and signed with row ${lastId}, which tells of it. Head: ${hash.toString("hex")}`);
    },
    UNPREPARED,
  );
}

/** The user of the operating system; a container's may have no name. */
function operator(): string {
  try {
    return `${userInfo().username}@${hostname()}`;
  } catch {
    return `user ${process.getuid?.() ?? "unknown"}@${hostname()}`;
  }
}
