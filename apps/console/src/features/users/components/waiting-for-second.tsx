import { Alert } from "@mantine/core";
import type { AccountItem, ActionOfTwo } from "@sightline/identity/contract";
import { formatTimeAndZone } from "#ui/words/format.ts";

export const WORDS_OF_TWO: Readonly<Record<ActionOfTwo, string>> = {
  reset: "reset the second factor of",
  delete: "delete",
  demote: "make a member of",
  disable: "disable",
};

/** Says that another admin asked for the same, so that doing it confirms it. */
export function WaitingForSecond({ account, action }: { readonly account: AccountItem; readonly action: ActionOfTwo }) {
  const { waiting } = account;
  return (
    waiting?.action === action && (
      <Alert color="yellow" title={`${waiting.asked_by.email} asked to ${WORDS_OF_TWO[action]} ${account.name}`}>
        {waiting.reason !== "" && `“${waiting.reason}”. `}It waits for another admin until {formatTimeAndZone(new Date(waiting.expires_at))}
        . Confirm it here only if you have spoken with them yourself.
      </Alert>
    )
  );
}
