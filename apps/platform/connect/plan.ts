import { existsSync } from "node:fs";
import type { Assistant } from "./assistants.ts";
import { isGone, isStillThere, put, takeOut, type Record } from "./configuration.ts";
import type { Server } from "./entries.ts";
import type { Machine } from "./places.ts";
import type { Receipt } from "./receipts.ts";
import { UnreadableText } from "./text-edit.ts";
import { inPlainWords, isReadOnly, modeForSecret, readUserFile, type UserFile } from "./user-file.ts";

/** What is to become of one file. */
export type Plan =
  | {
      readonly kind: "change";
      readonly file: UserFile;
      readonly after: string | undefined;
      readonly mode: number | undefined;
      readonly receipt: Receipt | undefined;
      readonly former: Receipt | undefined;
    }
  | { readonly kind: "nothing"; readonly file: UserFile }
  | { readonly kind: "problem"; readonly problem: string };

/** A file of nothing but blanks is filled like one that is not there. */
const EMPTY = { json: "{}\n", toml: "" } as const;

export function planConnection(assistant: Assistant, path: string, server: Server, receipts: readonly Receipt[]): Promise<Plan> {
  return planFor(path, (file) => {
    const former = receipts.find((receipt) => receipt.file === file.path);
    const isBlank = file.text === undefined || file.text.trim() === "";
    const entries = assistant.entries(server, file.text ?? "");
    const kind = entries[0]?.kind ?? "json";
    let text = isBlank ? EMPTY[kind] : (file.text ?? "");
    const records: Record[] = [];
    for (const entry of entries) {
      const known = former?.records.find((record) => JSON.stringify(record.path) === JSON.stringify(entry.path));
      const written = put(text, entry, known);
      text = written.text;
      records.push(...(written.record === undefined ? [] : [written.record]));
    }
    if (text === file.text) {
      return { kind: "nothing", file };
    }
    const holdsToken = "token" in server.credential && text.includes(server.credential.token);
    const mode = holdsToken ? modeForSecret(file.mode) : undefined;
    const narrowed = former?.mode ?? (mode !== undefined && file.mode !== undefined && mode !== file.mode ? file.mode : undefined);
    const was = isBlank ? (file.text ?? null) : former?.was;
    const receipt: Receipt = {
      assistant: assistant.id,
      file: file.path,
      ...(was === undefined ? {} : { was }),
      ...(narrowed === undefined ? {} : { mode: narrowed }),
      ...(former?.madeFolder === undefined ? {} : { madeFolder: former.madeFolder }),
      records,
    };
    return { kind: "change", file, after: text, mode, receipt, former };
  });
}

export function planUndo(receipt: Receipt): Promise<Plan> {
  return planFor(receipt.file, (file) => {
    if (file.text === undefined) {
      return { kind: "change", file, after: undefined, mode: undefined, receipt: undefined, former: receipt };
    }
    let { text } = file;
    for (const record of receipt.records.toReversed()) {
      if (isStillThere(text, record)) {
        text = takeOut(text, record);
      } else if (!isGone(text, record)) {
        throw new UnreadableText("what was written was changed since; take the server `sightline` out of it by hand");
      }
    }
    const isEmpty = receipt.was !== undefined && (text.trim() === "" || text.trim() === "{}");
    const after = isEmpty ? (receipt.was ?? undefined) : text;
    return { kind: "change", file, after, mode: receipt.mode, receipt: undefined, former: receipt };
  });
}

/** Whatever is wrong with a file leaves it as it is, and the others are gone on with. */
async function planFor(path: string, plan: (file: UserFile) => Plan): Promise<Plan> {
  try {
    const file = await readUserFile(path);
    const planned = plan(file);
    return planned.kind === "change" && isReadOnly(file) ? { kind: "problem", problem: READ_ONLY } : planned;
  } catch (error) {
    if (!(error instanceof UnreadableText)) {
      return { kind: "problem", problem: `can't be read: ${inPlainWords(error)}.` };
    }
    const { position, message } = error;
    const place = position === undefined ? "" : ` at line ${position.line}, column ${position.column}`;
    return { kind: "problem", problem: `was left as it is${place}: ${message}.` };
  }
}

const READ_ONLY = "was left as it is: it is read-only. Allow writing (chmod u+w) if it is yours to change, then do it again.";

/** The file that is there already, or else the one that the assistant itself would make. */
export function fileOf(assistant: Assistant, machine: Machine): string {
  const files = assistant.files(machine);
  return files.find((path) => existsSync(path)) ?? files.at(-1) ?? "";
}
