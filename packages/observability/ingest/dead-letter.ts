import { v7 as uuidv7 } from "uuid";
import { BODY_MAX_LENGTH } from "#events/stream-entry.ts";
import type { DeadLetterWrite } from "./batch-rows.ts";
import type { StreamEntry } from "./chunked-reading.ts";

/** Characters that are kept of an entry as a whole; no event is as long. */
const WHOLE_MAX_LENGTH = BODY_MAX_LENGTH + 1024 * 1024;
/** Of one that is longer than that: fields, and characters of each. */
const FIELDS_KEPT = 32;
const FIELD_KEPT_LENGTH = 64 * 1024;

/** An entry as it is set aside. Of one that is longer than any event only the beginning is kept, or it could not be stored either. */
export function toDeadLetter(stream: string, entry: StreamEntry, reason: string, projectId: string | undefined): DeadLetterWrite {
  const length = entry.fields.reduce((sum, field) => sum + field.length, 0);
  const isWhole = length <= WHOLE_MAX_LENGTH;
  const kept = isWhole ? entry.fields : entry.fields.slice(0, FIELDS_KEPT).map((field) => field.slice(0, FIELD_KEPT_LENGTH));
  return {
    id: uuidv7(),
    stream,
    entry_id: entry.id,
    project_id: projectId,
    reason: isWhole ? reason : `${reason}; only the beginning of its ${length} characters is kept`,
    entry: JSON.stringify(kept),
    is_whole: isWhole,
  };
}
