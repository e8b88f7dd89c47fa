import { shortenHash } from "#store/blob-reference.ts";
import type { BatchRows } from "./batch-rows.ts";

type TextMark = { readonly project_id: string; readonly trace_id?: string; readonly events: string[]; readonly failed: string[] };

/** What has to be read of a batch before its words are found: a mark for each trace, and one for the contents of each project. */
export function toTextMarks({ payloads, observations, traces, blobs, maskedContents = [] }: BatchRows): readonly TextMark[] {
  const marks = new Map<string, TextMark>();
  const markOf = (projectId: string, traceId?: string): TextMark => {
    const key = `${projectId}|${traceId ?? ""}`;
    const mark = marks.get(key) ?? {
      project_id: projectId,
      ...(traceId === undefined ? {} : { trace_id: traceId }),
      events: [],
      failed: [],
    };
    marks.set(key, mark);
    return mark;
  };
  for (const { project_id: projectId, trace_id: traceId, event_id: eventId, part, value, reasoning, tool_entry: toolEntry } of payloads) {
    if ((part === "start" || part === "end") && [value, reasoning, toolEntry].some((given) => given !== undefined && given !== null)) {
      markOf(projectId, traceId).events.push(eventId);
    }
  }
  for (const { project_id: projectId, id, error, ...row } of [...observations, ...traces]) {
    if (error !== undefined && error !== "") {
      markOf(projectId, "trace_id" in row ? row.trace_id : id).failed.push(id);
    }
  }
  for (const { project_id: projectId, sha256 } of [...blobs, ...maskedContents]) {
    markOf(projectId).events.push(shortenHash(sha256));
  }
  return [...marks.values()];
}
