import { NUMBERS, TRACE_NUMBERS } from "#step-numbers.ts";

/** The text fields of the query of which an entry has one value and a column; all others are in its `fields`. */
export const TEXT_COLUMNS: Readonly<Record<string, string>> = { name: "name", session: "session_id", user: "user_id", thread: "thread_id" };

/** The column of an entry that holds what a field of the query language asks for, where it does not bear the field's name. */
export function columnOfField(field: string): string {
  return TRACE_NUMBERS.find((name) => NUMBERS[name].field.name === field) ?? field;
}

/** All columns of an entry but its key, and what follows from the others. */
export const ENTRY_COLUMNS: readonly string[] = `
  runs last_run sort_at started_at ended_at waiting_ms name status session_id user_id thread_id purpose error
  steps failures usage producers first_seqs last_seqs is_whole fields scores keys input_line output_line ${TRACE_NUMBERS.join(" ")}`
  .trim()
  .split(/\s+/);
