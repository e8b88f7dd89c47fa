import { RefusedError } from "#cli/eval/client.ts";

/** Writes all; where that is refused, the halves, so that one odd row costs itself alone. @returns what the writes returned. */
export async function writeInHalves<Row, Done>(
  rows: readonly Row[],
  write: (rows: readonly Row[]) => Promise<Done>,
  refuse: (row: Row, reason: string) => void,
): Promise<readonly Done[]> {
  if (rows.length === 0) {
    return [];
  }
  try {
    return [await write(rows)];
  } catch (error) {
    const [first] = rows;
    if (!(error instanceof RefusedError) || ![400, 413, 422].includes(error.status) || first === undefined) {
      throw error;
    }
    if (rows.length === 1) {
      refuse(first, error.message.slice(0, 200));
      return [];
    }
    const middle = Math.ceil(rows.length / 2);
    return [...(await writeInHalves(rows.slice(0, middle), write, refuse)), ...(await writeInHalves(rows.slice(middle), write, refuse))];
  }
}

const MAX_CHARACTERS = 4_000_000;

/** Parts of so many rows, and of as many characters as a request takes. */
export function inBatches<Row extends object>(rows: readonly Row[], most: number): readonly (readonly Row[])[] {
  const batches: Row[][] = [];
  let characters = 0;
  for (const row of rows) {
    const size = JSON.stringify(row).length;
    const last = batches.at(-1);
    if (last === undefined || last.length === most || characters + size > MAX_CHARACTERS) {
      batches.push([row]);
      characters = size;
    } else {
      last.push(row);
      characters += size;
    }
  }
  return batches;
}
