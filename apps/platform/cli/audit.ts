import { readFile } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { errorMessage } from "@sightline/foundation/errors";
import { readAnchorLine, type Anchor } from "@sightline/identity";
import { z } from "zod";
import { UsageError } from "#settings/failure.ts";
import { onParts } from "./on-database.ts";

/** The audit is read as it is: a command that inspects it changes nothing. */
export const UNPREPARED = { prepared: false };

type VerifyOptions = { readonly expect?: string; readonly anchors?: string };

/** `sightline audit verify`: ends with 1 when the chain is broken. */
export async function verifyAudit({ expect: expectedHead, anchors: file }: VerifyOptions): Promise<void> {
  const expected = readHead("--expect", expectedHead);
  const anchors = file === undefined ? [] : await readAnchors(file);
  return onParts(
    "audit",
    async ({ identity }) => {
      const { intact, rows, head, problem, signed, acceptedAt, kept } = await identity.verifyAudit({ head: expected, anchors });
      console.log(`Rows: ${rows}`);
      console.log(`Head: ${head}`);
      console.log(`Signed since: ${signed.since?.toISOString() ?? "never"}`);
      console.log(`Last signed: ${signed.until?.toISOString() ?? "never"}`);
      console.log(`Kept on this host: ${kept === undefined ? "nothing" : `row ${kept.lastId}, signed ${kept.at.toISOString()}`}`);
      if (acceptedAt !== undefined) {
        console.log(`Restored database accepted: ${acceptedAt.toISOString()}`);
      }
      if (file !== undefined) {
        console.log(`Anchors compared: ${anchors.length}`);
      }
      if (!intact) {
        throw new Error(`The audit is broken. ${problem ?? ""} If you restored a backup yourself: sightline audit accept-restore`);
      }
      console.log("The audit is whole.");
    },
    UNPREPARED,
  );
}

/** Reads the hash of a row, as the commands print it. */
export function readHead(option: string, text: string | undefined): string | undefined {
  if (text !== undefined && !/^[0-9a-f]{64}$/i.test(text)) {
    throw new UsageError(`${option} takes a head as \`sightline audit verify\` prints it: 64 hexadecimal characters.`);
  }
  return text?.toLowerCase();
}

async function readAnchors(file: string): Promise<readonly Anchor[]> {
  const text = await readFile(file, "utf8").catch((error: unknown) => {
    throw new UsageError(`--anchors: ${errorMessage(error)}`);
  });
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return lines.map((line, index) => {
    const anchor = readAnchorLine(line);
    if (anchor === undefined) {
      throw new UsageError(`--anchors: line ${index + 1} of ${file} is no anchor; \`sightline audit anchor\` prints one.`);
    }
    return anchor;
  });
}

/** `sightline audit anchor`: the end of the chain, to be kept elsewhere. */
export function printAnchor(): Promise<void> {
  return onParts("audit", async ({ identity }) => console.log(await identity.anchorAudit()), UNPREPARED);
}

/** `sightline audit export`: to stdout, as fast as it is read. */
export function exportAudit(options: { readonly from?: string; readonly to?: string }): Promise<void> {
  const from = readTime("--from", options.from);
  const to = readTime("--to", options.to);
  return onParts(
    "audit",
    async ({ identity }) => {
      try {
        await pipeline(Readable.from(identity.exportAudit({ from, to })), process.stdout, { end: false });
      } catch (error) {
        // The reader has closed the pipe, as `head` does.
        if (!(error instanceof Error && "code" in error && (error.code === "EPIPE" || error.code === "ERR_STREAM_PREMATURE_CLOSE"))) {
          throw error;
        }
      }
    },
    UNPREPARED,
  );
}

const TIME = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/;

function readTime(option: string, text: string | undefined): Date | undefined {
  const time = text === undefined ? undefined : new Date(TIME.test(text) && isDay(text.slice(0, 10)) ? text : Number.NaN);
  if (time !== undefined && Number.isNaN(time.getTime())) {
    throw new UsageError(`${option} takes a day (UTC) or a time in ISO 8601: 2026-03-01, or 2026-03-01T12:00:00Z.`);
  }
  return time;
}

/** `Date` reads the 30th of February as the 2nd of March. */
function isDay(text: string): boolean {
  return z.iso.date().safeParse(text).success;
}
