import type { AccountItem, ActionOfTwo } from "@sightline/identity/contract";
import type { Tone } from "#ui/words/status.tsx";

export type AccountState = { readonly tone: Tone; readonly label: string; /** What follows from it. */ readonly meaning: string };

/** The one state that decides what an account can do at the moment. */
export function findAccountState(account: Pick<AccountItem, "disabled_at" | "invited" | "must_change_password">): AccountState {
  if (account.disabled_at !== null) {
    return { tone: "bad", label: "Disabled", meaning: "Can't log in; everything else is kept." };
  }
  if (account.invited) {
    return { tone: "idle", label: "Invited", meaning: "Has not chosen a password yet." };
  }
  if (account.must_change_password) {
    return { tone: "warn", label: "New password due", meaning: "Has to choose a new password at the next login, before anything else." };
  }
  return { tone: "ok", label: "Active", meaning: "Can log in." };
}

export const ROLES = {
  admin: { label: "Admin", may: "Manages accounts, keys and settings, and reads the audit" },
  member: { label: "Member", may: "Searches code and reads traces" },
} as const;

/** Whether what was typed is the account's address, as the confirmation of what can't be undone. */
export function confirmsEmail(typed: string, email: string): boolean {
  return typed.trim().toLowerCase() === email.toLowerCase();
}

/** What is said of an action that another admin may have to confirm. */
export function doneOrWaiting(account: AccountItem | undefined, action: ActionOfTwo | undefined, done: string): string {
  return action === undefined || account?.waiting?.action !== action ? done : "It is waiting for another admin, who has been notified.";
}
