import { readFile } from "node:fs/promises";
import type { Machine } from "./places.ts";
import type { Plan } from "./plan.ts";
import { saveReceipt } from "./receipts.ts";
import { inPlainWords, removeUserFile, writeUserFile, type UserFile } from "./user-file.ts";

type Change = Extract<Plan, { readonly kind: "change" }>;

/** Does what was planned; says what went wrong, if anything did. The receipt comes first: without it nothing could be undone. */
export async function carryOut(machine: Machine, plan: Change): Promise<string | undefined> {
  const { file, after, mode, receipt, former } = plan;
  try {
    if (await hasChanged(file)) {
      return "was changed by another program in the meantime and was left as it is; do it again.";
    }
    if (receipt === undefined) {
      await takeBack(plan);
      await saveReceipt(machine, file.path, undefined);
      return undefined;
    }
    await saveReceipt(machine, file.path, receipt);
    const madeFolder = await writeUserFile(file, after ?? "", mode).catch(async (error: unknown) => {
      await saveReceipt(machine, file.path, former);
      throw error;
    });
    if (madeFolder !== undefined) {
      await saveReceipt(machine, file.path, { ...receipt, madeFolder });
    }
    return undefined;
  } catch (error) {
    return `can't be written: ${inPlainWords(error)}.`;
  }
}

async function takeBack({ file, after, mode, former }: Change): Promise<void> {
  if (after === undefined) {
    await removeUserFile(file.path, former?.madeFolder);
  } else if (after !== file.text || mode !== undefined) {
    await writeUserFile(file, after, mode);
  }
}

/** Assistants write their own files while somebody is being asked. */
async function hasChanged({ path, text, byteOrderMark }: UserFile): Promise<boolean> {
  const now = await readFile(path, "utf8").catch(() => undefined);
  return now !== (text === undefined ? undefined : `${byteOrderMark}${text}`);
}
