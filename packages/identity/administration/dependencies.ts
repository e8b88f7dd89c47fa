import type { AccountDependencies } from "#accounts/create-account.ts";
import type { Notices } from "#notices/notices.ts";

export type AdministrationDependencies = AccountDependencies & {
  readonly notices: Notices;
  /** Whether there is a mail server (SMTP_URL). */
  readonly mailed: boolean;
  /** Where mailed links lead. */
  readonly publicUrl: string;
};
