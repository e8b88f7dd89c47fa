import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { errorCode, errorMessage } from "@sightline/foundation/errors";
import type { Logger } from "@sightline/foundation/log";
import { replaceFile } from "@sightline/foundation/files/replace-file";
import { anchorLine, readAnchorLine, type Anchor } from "./anchor.ts";

export type OutsideAnchor = {
  readonly read: () => Promise<Anchor | undefined>;
  /** Only for what is committed: the end outside may be behind the database, never ahead of it. */
  readonly write: (anchor: Anchor) => Promise<void>;
};

/** Where a host keeps the last signed end, in the folder of its data. */
export function outsideAnchorFile(home: string): string {
  return join(home, "audit-signed-end.json");
}

/**
 * Keeps the last signed end of the audit on this host, where who writes the database can't reach it. Its seal is not asked for, since
 * keys may be exchanged while a host is away. Without a folder that can be written to, the process remembers it as long as it runs.
 */
export function createOutsideAnchor({ home, log }: { readonly home: string | undefined; readonly log: Logger }): OutsideAnchor {
  const file = home === undefined ? undefined : outsideAnchorFile(home);
  let remembered: Anchor | undefined;
  let isTold = false;

  function tell(reason: string): undefined {
    if (!isTold) {
      isTold = true;
      log.info({ reason }, "no signed end of the audit is kept outside of the database; see: sightline doctor");
    }
  }

  /** Another process of this host may have written it. */
  async function readKept(): Promise<Anchor | undefined> {
    if (file === undefined) {
      return undefined;
    }
    const text = await readFile(file, "utf8").catch((error: unknown) =>
      errorCode(error) === "ENOENT" ? undefined : tell(errorMessage(error)),
    );
    const anchor = text === undefined ? undefined : readAnchorLine(text);
    return text !== undefined && anchor === undefined ? tell(`${file} is no signed end; it is written anew`) : anchor;
  }

  return {
    read: async () => (await readKept()) ?? remembered,
    write: async (anchor) => {
      remembered = anchor;
      const kept = await readKept();
      if (file === undefined) {
        tell("there is no folder on this host");
      } else if (kept?.lastId !== anchor.lastId || !kept.hash.equals(anchor.hash)) {
        await replaceFile(file, `${anchorLine(anchor)}\n`).catch((error: unknown) => tell(errorMessage(error)));
      }
    },
  };
}
