/** What someone may have to act on at once, with what it is called above every page. */
const ALARMS: Readonly<Record<string, string>> = {
  password_guessed: "Someone knows your password",
  two_factor_locked: "Someone may know your password",
  two_factor_reset: "Your second factor was reset",
};

/** The title of a notice that is shown above every page until it is read; undefined for those in the bell alone. */
export function alarmOf({ kind }: { readonly kind: string }): string | undefined {
  return ALARMS[kind];
}

/** What a screen reader says when notices come in; empty when there is none. */
export function announce(notices: readonly { readonly kind: string; readonly text: string }[]): string {
  const alarm = notices.find((notice) => alarmOf(notice) !== undefined) ?? notices[0];
  if (alarm === undefined) {
    return "";
  }
  const rest = notices.length - 1;
  return `${alarm.text}${rest === 0 ? "" : ` And ${rest} more unread ${rest === 1 ? "notice" : "notices"}.`}`;
}
