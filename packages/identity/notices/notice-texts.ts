export type NoticeDetails = Readonly<Record<string, string>>;

type NoticeText = {
  /** The subject of the mail. It is fixed, so that nothing a stranger wrote gets into a header. */
  readonly subject: string;
  readonly sentence: (details: NoticeDetails) => string;
  /** The purpose of the link, where there is one, and how many seconds it is valid. */
  readonly link?: { readonly invitesTo: string; readonly seconds: number };
};

const WORDS_OF_TWO: Readonly<Record<string, string>> = {
  reset: "reset the 2FA of",
  delete: "delete",
  demote: "make a member of",
  disable: "disable",
};

const TEXTS = {
  two_factor_enabled: {
    subject: "Two-factor authentication (2FA) was turned on",
    sentence: () => "Two-factor authentication (2FA) was turned on for your account.",
  },
  two_factor_disabled: {
    subject: "Two-factor authentication (2FA) was turned off",
    sentence: () => "Two-factor authentication (2FA) was turned off for your account.",
  },
  two_factor_replaced: {
    subject: "Your authenticator was replaced",
    sentence: () => "The authenticator of your account was replaced by another one.",
  },
  two_factor_reset: {
    subject: "Your 2FA was reset by an admin",
    sentence: ({ reason }) => `An admin reset the 2FA of your account${reason === undefined ? "" : ` ("${reason}")`}. Set it up again.`,
  },
  two_factor_locked: {
    subject: "Too many wrong codes",
    // The app's codes and the backup codes are locked each for itself.
    sentence: ({ method }) =>
      method === "backup_code"
        ? "Too many wrong backup codes were entered for your account, so backup codes are not accepted for a while."
        : "Too many wrong codes were entered for your account, so codes of your authenticator app are not accepted for a while.",
  },
  second_admin_asked: {
    subject: "Something is waiting for a second admin",
    sentence: ({ by, action, account = "an account", reason }) =>
      `${by ?? "An admin"} asked to ${WORDS_OF_TWO[action ?? ""] ?? "change"} ${account}${reason === undefined ? "" : ` ("${reason}")`}. Another admin has to confirm it, by doing the same within a day.`,
  },
  member_passkeys_off: {
    subject: "Your passkeys stay, but no new ones can be added",
    sentence: () =>
      "Your organization no longer lets members add passkeys. Those that you have go on to log you in, and you can rename and remove them (Security).",
  },
  policy_changed: {
    subject: "The security policy was changed",
    sentence: ({ by, what }) =>
      `${by ?? "An admin"} changed the security policy of your organization${what === undefined ? "" : `: ${what}`}.`,
  },
  sso_domain_proof_gone: {
    subject: "The DNS record of an e-mail domain is gone",
    sentence: ({ domain, until }) =>
      `The DNS record that proves ${domain} is gone. Company sign-in for it ends on ${until} unless the record is back (Security, Company sign-in).`,
  },
  sso_domain_lost: {
    subject: "Company sign-in for an e-mail domain has ended",
    sentence: ({ domain }) =>
      `Company sign-in for ${domain} has ended, because its DNS record was gone for a week. Passwords are accepted there again. Publish the record and verify the domain (Security, Company sign-in).`,
  },
  two_factor_unlocked: {
    subject: "Codes are accepted again",
    sentence: ({ by }) =>
      by === "admin"
        ? "An admin lifted the lock on your codes: they are accepted again."
        : "You chose a new password by mail, so the lock on your codes was lifted: they are accepted again.",
  },
  backup_codes_regenerated: {
    subject: "New backup codes were made",
    sentence: () => "New backup codes were made for your account; the old ones no longer work.",
  },
  backup_code_used: {
    subject: "A backup code was used",
    sentence: ({ remaining }) => `A backup code of your account was used${remaining === undefined ? "" : `; ${remaining} are left`}.`,
  },
  app_connected: {
    subject: "An app was connected to your account",
    sentence: ({ name, host, days }) =>
      `An app that calls itself ${named(name).trim()} may read your code for ${days} ${days === "1" ? "day" : "days"} (it sends you back to ${host}). You can disconnect it under Connect in the console.`,
  },
  passkey_added: {
    subject: "A passkey was added",
    sentence: ({ name }) => `A passkey${named(name)} was added to your account: it logs in without the password.`,
  },
  passkey_removed: {
    subject: "A passkey was removed",
    sentence: ({ name, left }) =>
      `A passkey${named(name)} was removed from your account${left === "nothing" ? "; from now on your password alone is enough to log in" : ""}.`,
  },
  password_guessed: {
    subject: "Someone knows your password",
    sentence: () => "Someone who knows your password has tried many wrong codes; choose a new password at your next login.",
  },
  password_changed: {
    subject: "Your password was changed",
    sentence: ({ by }) =>
      `The password of your account was changed${by === "admin" ? " by an admin" : ""}, and all its sessions were ended.`,
  },
  registration_repeated: {
    subject: "You already have an account",
    sentence: () =>
      "Someone, hopefully you, tried to register with your address. You already have one: log in, or ask for a new password if you forgot yours.",
  },
  comment_mention: {
    subject: "You were mentioned in a comment",
    sentence: ({ by, project }) => `${by ?? "Somebody"} mentioned you in a comment in the project ${project}.`,
  },
  invitation: {
    subject: "You are invited to Sightline",
    sentence: () => "An account was created for you in Sightline.",
    link: { invitesTo: "Choose your password here, once, within 7 days", seconds: 7 * 24 * 3600 },
  },
  password_reset: {
    subject: "Choose a new password",
    sentence: ({ by }) =>
      by === "admin"
        ? "An admin reset your password. Choose a new one."
        : "Someone, hopefully you, asked for a new password for your account; if it was not you, do nothing.",
    link: { invitesTo: "Choose it here, once, within 30 minutes", seconds: 30 * 60 },
  },
} as const satisfies Readonly<Record<string, NoticeText>>;

/** The events that people are notified of. */
export type NoticeKind = keyof typeof TEXTS;

/** Returns the sentence that the console shows. */
export function noticeSentence(kind: NoticeKind, details: NoticeDetails): string {
  return TEXTS[kind].sentence(cleaned(details));
}

type MailedNotice = {
  readonly kind: NoticeKind;
  readonly at: Date;
  readonly details: NoticeDetails;
  readonly link: string | undefined;
  readonly publicUrl: string;
};

export function noticeMail({ kind, at, details, link, publicUrl }: MailedNotice): { readonly subject: string; readonly text: string } {
  const { subject, sentence, link: linkText }: NoticeText = TEXTS[kind];
  const { ip, path } = cleaned(details);
  const paragraphs = [
    sentence(cleaned(details)),
    [`When: ${at.toISOString().slice(0, 19).replace("T", " ")} UTC`, ...(ip === undefined ? [] : [`From: ${ip}`])].join("\n"),
    path !== undefined
      ? `Read it here:\n${publicUrl}${path}`
      : link === undefined
        ? `If this was not you, change your password at ${publicUrl}/ and tell an admin of your organization.`
        : `${linkText?.invitesTo ?? "Open it here"}:\n${link}`,
    `Sightline, ${publicUrl}/`,
  ];
  return { subject, text: `${paragraphs.join("\n\n")}\n` };
}

/** Whether the link in the mail has expired. */
export function isTooLate(kind: NoticeKind, at: Date, now: Date): boolean {
  const { link }: NoticeText = TEXTS[kind];
  return link !== undefined && now.getTime() >= at.getTime() + link.seconds * 1000;
}

function named(name: string | undefined): string {
  return name === undefined ? "" : ` ("${name}")`;
}

/** Some details were written by people: line breaks in them are removed. */
function cleaned(details: NoticeDetails): NoticeDetails {
  return Object.fromEntries(Object.entries(details).map(([key, value]) => [key, value.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ")]));
}

export function isNoticeKind(kind: string): kind is NoticeKind {
  return Object.hasOwn(TEXTS, kind);
}
