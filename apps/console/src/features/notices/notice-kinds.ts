type Alarm = { readonly title: string; /** The page on which one acts. */ readonly help: { readonly label: string; readonly to: string } };

const CHANGE_PASSWORD = { label: "Change password", to: "/account/password" };

/** What someone may have to act on at once, with what it is called above every page. */
const ALARMS: Readonly<Record<string, Alarm>> = {
  password_guessed: { title: "Someone knows your password", help: CHANGE_PASSWORD },
  two_factor_locked: { title: "Someone may know your password", help: CHANGE_PASSWORD },
  sso_domain_proof_gone: { title: "A DNS record is gone", help: { label: "See the record", to: "/admin/security" } },
  sso_domain_lost: { title: "Company sign-in has ended for a domain", help: { label: "Verify it again", to: "/admin/security" } },
  two_factor_reset: { title: "Your 2FA was reset", help: { label: "Set it up again", to: "/admin/security" } },
};

/** How a notice is shown above every page until it is read; undefined for those in the bell alone. */
export function findAlarm({ kind }: { readonly kind: string }): Alarm | undefined {
  return ALARMS[kind];
}

/** What a screen reader says when notices come in; empty when there is none. */
export function announce(notices: readonly { readonly kind: string; readonly text: string }[]): string {
  const alarm = notices.find((notice) => findAlarm(notice) !== undefined) ?? notices[0];
  if (alarm === undefined) {
    return "";
  }
  const rest = notices.length - 1;
  return `${alarm.text}${rest === 0 ? "" : ` And ${rest} more unread ${rest === 1 ? "notice" : "notices"}.`}`;
}
