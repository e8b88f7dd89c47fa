import { type SaveSsoRequest, type Sso, saveSsoRequestSchema } from "@sightline/identity/contract";

/** What the form holds; the request with fields that are still being typed. */
export type Settings = Omit<SaveSsoRequest, "client_secret" | "role_claim"> & {
  readonly client_secret: string;
  readonly role_claim: string;
};

const NEW: Settings = {
  name: "",
  issuer: "",
  client_id: "",
  client_secret: "",
  scopes: ["email", "profile"],
  domains: [],
  role_claim: "",
  admin_values: [],
  member_values: [],
  default_role: "member",
  creates_accounts: true,
  enforced: false,
  asks_second_factor: false,
  vouches_for_addresses: false,
  break_glass: [],
};

export function toFormSettings(sso: Sso | null): Settings {
  if (sso === null) {
    return NEW;
  }
  const {
    id: _id,
    redirect_uri: _redirect,
    domain_proofs: _proofs,
    updated_at: _updated,
    last_login_at: _last,
    role_claim: claim,
    ...settings
  } = sso;
  return { ...settings, role_claim: claim ?? "", client_secret: "" };
}

type Problems = Readonly<Partial<Record<keyof Settings, string>>>;

/** What is sent, or what is wrong with the fields. */
export function readSettings(settings: Settings, sso: Sso | null): { readonly request: SaveSsoRequest } | { readonly problems: Problems } {
  const { client_secret: secret, role_claim: claim, ...rest } = settings;
  const parsed = saveSsoRequestSchema.safeParse({
    ...rest,
    role_claim: claim.trim() === "" ? null : claim,
    ...(secret === "" ? {} : { client_secret: secret }),
  });
  const isStored = sso !== null && sso.issuer === parsed.data?.issuer && sso.client_id === parsed.data.client_id;
  const missing: Problems = secret === "" && !isStored ? { client_secret: "Fill in the secret that belongs to this client" } : {};
  if (parsed.success && missing.client_secret === undefined) {
    return { request: parsed.data };
  }
  const issues = parsed.error?.issues ?? [];
  return { problems: { ...missing, ...Object.fromEntries(issues.map(({ path, message }) => [String(path[0]), sentence(message)])) } };
}

function sentence(message: string): string {
  return `Expected: ${message}`;
}
