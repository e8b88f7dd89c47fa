/** The fields that hold a secret in answers of the API, by route; no others may. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  "POST /login/access-token": ["access_token", "partial_token"],
  "POST /login/verify-2fa": ["access_token"],
  "POST /login/verify-2fa/passkey": ["access_token"],
  "POST /login/passkey": ["access_token"],
  "POST /login/passkeys": ["access_token"],
  "POST /login/sso/start": ["continue_to"],
  "POST /login/sso": ["access_token", "partial_token"],
  "POST /login/refresh": ["access_token"],
  "POST /login/password": ["access_token"],
  "POST /admin/2fa/setup": ["secret", "otpauth_url", "qr_svg", "setup_token"],
  "POST /admin/2fa/replace": ["secret", "otpauth_url", "qr_svg", "setup_token"],
  "POST /admin/2fa/verify-setup": ["backup_codes", "access_token"],
  "POST /admin/2fa/backup-codes": ["backup_codes"],
  "POST /oauth/token": ["access_token", "refresh_token"],
  "POST /oauth/interactions/:uid/consent": ["continue_to"],
  "POST /admin/scim/token": ["secret"],
  "POST /admin/users": ["one_time_password"],
  "POST /admin/users/:id/password-reset": ["one_time_password"],
};

/** Answers of OAuth lead the browser on by addresses that hold what is for one use: the question's id, the app's code. */
const LEADING_ON: ReadonlySet<string> = new Set(["GET /oauth/authorize", "GET /oauth/authorize/:uid", "GET /oauth/interactions/:uid"]);

/** Shown by one answer and never again; a refresh answers a lost one a second time. */
export const SHOWN_ONCE: ReadonlySet<string> = new Set(["partial_token", "secret", "setup_token", "backup_codes", "one_time_password"]);

/** The routes that set a cookie with a secret in it. */
const COOKIES: ReadonlySet<string> = new Set(
  Object.keys(FIELDS).filter((route) => /\/login\/|2fa\/(setup|replace|verify-setup)$/.test(route)),
);

export type Shown = { readonly kind: string; readonly value: string };

type Answer = { readonly route: string; readonly body: string; readonly headers: Readonly<Record<string, unknown>> };

/** Splits an answer into the secrets it may show and all the rest of it, as text. */
export function splitAnswer({ route, body, headers }: Answer): { readonly shown: readonly Shown[]; readonly rest: string } {
  const { "set-cookie": cookies, location, ...kept } = headers;
  const leadsOn = LEADING_ON.has(route) && location !== undefined;
  const others = leadsOn || location === undefined ? kept : { ...kept, location };
  const texts = [cookies ?? []].flat().map(String);
  // A question that ends on a page takes its cookie away by the path with its id.
  const showsCookies = COOKIES.has(route) || LEADING_ON.has(route);
  const code = leadsOn && typeof location === "string" ? /[?&]code=([^&]+)/.exec(location)?.[1] : undefined;
  const fromCookies = showsCookies ? texts.flatMap((text) => shownBy("cookie", /^[^=]+=([^;]*)/.exec(text)?.[1])) : [];
  const answered = parse(body);
  const allowed = FIELDS[route] ?? [];
  const rest = Object.fromEntries(Object.entries(answered ?? {}).filter(([field]) => !allowed.includes(field)));
  return {
    shown: [...allowed.flatMap((field) => shownBy(field, answered?.[field])), ...fromCookies, ...shownBy("authorization code", code)],
    // The body says where the browser goes on, too.
    rest: [
      leadsOn ? "" : answered === undefined ? body : JSON.stringify(rest),
      JSON.stringify(others),
      ...(showsCookies ? [] : texts),
    ].join("\n"),
  };
}

function shownBy(kind: string, value: unknown): readonly Shown[] {
  return [value].flat().flatMap((one) => (typeof one === "string" && one !== "" ? [{ kind, value: one }] : []));
}

/** The fields of a JSON object; undefined when it is none. */
function parse(body: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
