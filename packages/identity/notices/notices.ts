import { v7 as uuidv7 } from "uuid";
import { refusal, type AppError } from "@sightline/foundation/errors";
import type { Sealer } from "#keys/sealed-values.ts";
import type { Transaction } from "#schema.ts";
import type { NoticeKind } from "./notice-texts.ts";
import { insertNotice } from "./notice.store.ts";

export type NewNotice = {
  readonly userId: string;
  readonly kind: NoticeKind;
  readonly at: Date;
  /** Never a code, a secret or a token. */
  readonly details?: Readonly<Record<string, string>>;
  /** A link that opens something: mailed, kept sealed, and never shown in the console. */
  readonly link?: string;
};

export type Notices = ReturnType<typeof createNotices>;

export const LINK_PURPOSE = "notices.sealed_link";

export function createNotices({ sealer, mailed }: { readonly sealer: Sealer; readonly mailed: boolean }) {
  return {
    /** Appends a notice in the transaction of its event. It is sent afterwards, so that a failing mail fails nothing else. */
    append: async (transaction: Transaction, { userId, kind, at, details = {}, link }: NewNotice): Promise<void> => {
      const id = uuidv7();
      await insertNotice(transaction, {
        id,
        user_id: userId,
        kind,
        at,
        details,
        sealed_link: link === undefined ? null : sealer.seal(Buffer.from(link), { purpose: LINK_PURPOSE, subject: id }),
        shown: link === undefined,
        send_after: mailed ? at : null,
      });
    },
  };
}

/** @param instead what the caller can do without mail. */
export function mailNotConfigured(instead: string): AppError {
  return refusal(409, "mail_not_configured", `This Sightline sends no mail: its operator sets SMTP_URL for that. ${instead}`);
}
