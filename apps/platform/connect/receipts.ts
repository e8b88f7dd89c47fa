import { z } from "zod";
import { recordSchema } from "./configuration.ts";
import { inState, type Machine } from "./places.ts";
import { inPlainWords, modeForSecret, readUserFile, removeUserFile, writeUserFile } from "./user-file.ts";

/** What was written into one file, and what an undo needs to leave it byte for byte as it was. */
const receiptSchema = z.object({
  assistant: z.string(),
  file: z.string(),
  /** The text of a file that held nothing, null when there was no file; absent when it held something. */
  was: z.string().nullable().optional(),
  /** Its permissions, when they were narrowed. */
  mode: z.number().int().optional(),
  madeFolder: z.string().optional(),
  records: z.array(recordSchema),
});
export type Receipt = z.infer<typeof receiptSchema>;

const receiptsSchema = z.object({ version: z.literal(1), receipts: z.array(receiptSchema) });

function placeOf(machine: Machine): string {
  return inState(machine, "connections.json");
}

export async function readReceipts(machine: Machine): Promise<readonly Receipt[]> {
  const { text } = await readUserFile(placeOf(machine)).catch((error: unknown) => {
    throw new Error(`${placeOf(machine)}, which says what was written into which file, can't be read: ${inPlainWords(error)}.`, {
      cause: error,
    });
  });
  if (text === undefined) {
    return [];
  }
  try {
    return receiptsSchema.parse(JSON.parse(text)).receipts;
  } catch {
    throw new Error(
      `${placeOf(machine)}, which says what was written into which file, can't be understood. Move it away to go on; what was written until now then has to be taken out by hand.`,
    );
  }
}

/** Puts a receipt in the place of the one for the same file, or takes that away. */
export async function saveReceipt(machine: Machine, file: string, receipt: Receipt | undefined): Promise<void> {
  try {
    await replaceReceipt(machine, file, receipt);
  } catch (error) {
    throw new Error(`what is written has to be noted in ${placeOf(machine)} first, and that failed: ${inPlainWords(error)}`, {
      cause: error,
    });
  }
}

/** What stood in a file before may be a secret, so this file is its owner's alone. */
async function replaceReceipt(machine: Machine, file: string, receipt: Receipt | undefined): Promise<void> {
  const others = (await readReceipts(machine)).filter((other) => other.file !== file);
  const receipts = receipt === undefined ? others : [...others, receipt];
  const place = await readUserFile(placeOf(machine));
  if (receipts.length === 0) {
    await removeUserFile(place.path, undefined);
    return;
  }
  await writeUserFile(place, `${JSON.stringify({ version: 1, receipts }, null, 2)}\n`, modeForSecret(place.mode));
}
