/**
 * Numbers of a trace that its list tells as they are, and by which field of the query language each is asked for. A trace without such a
 * number has none in its entry.
 */
export const ENTRY_NUMBERS = {
  duration_ms: "duration",
  input_tokens: "input_tokens",
  output_tokens: "output_tokens",
  cost: "cost",
};

export type EntryNumbers = Readonly<Record<keyof typeof ENTRY_NUMBERS, number | null>>;

const NAMES = Object.keys(ENTRY_NUMBERS) as readonly (keyof EntryNumbers)[];

/** The column of an entry that holds what a field asks for, where it does not bear the field's name. */
export function columnOfField(field: string): string {
  return NAMES.find((column) => ENTRY_NUMBERS[column] === field) ?? field;
}

export function entryNumbersOf(row: EntryNumbers): EntryNumbers {
  return Object.fromEntries(NAMES.map((name) => [name, row[name]])) as EntryNumbers;
}

/** All columns of an entry but its key, as `observability.entry_of` gives them. */
export const ENTRY_COLUMNS: readonly string[] = `
  runs last_run sort_at started_at ended_at waiting_ms name status session_id user_id thread_id error
  steps failures tokens producers first_seqs last_seqs is_whole fields scores keys ${NAMES.join(" ")}`
  .trim()
  .split(/\s+/);
