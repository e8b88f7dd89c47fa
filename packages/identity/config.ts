import { Resolver } from "node:dns";
import { z } from "zod";
import {
  httpUrlVariable,
  integerVariable,
  jsonListVariable,
  logLevelVariable,
  portVariable,
  postgresUrlVariable,
  type ConfigOf,
  type Variables,
} from "@sightline/foundation/config";
import { allowedHostsVariable } from "@sightline/foundation/outbound/allowed-hosts";
import { encryptionKeysVariable } from "@sightline/foundation/secrets/sealing";
import { EMAIL_ADDRESS, emailAddress } from "./contract/parts.ts";

/** The SMTP server that mails are sent through. */
export type MailServer = {
  readonly host: string;
  readonly port: number;
  /** `implicit`: TLS from the first byte on; `required`: STARTTLS before anything else is sent. */
  readonly tls: "implicit" | "required" | "off";
  readonly user: string | undefined;
  readonly password: string | undefined;
};

export type Sender = { readonly name: string; readonly address: string };

export const identityVariables = {
  DATABASE_URL: { doc: "PostgreSQL of identity and observability.", schema: postgresUrlVariable(), secret: true },
  DATABASE_POOL_SIZE: { doc: "Connections to it at the most, per process.", schema: integerVariable(1, 500), default: "10" },
  SECRET_KEY: {
    doc: "Random, url-safe, 32 bytes. Refresh tokens are computed from it; a new one ends all sessions.",
    schema: z.string("expected text").min(32, "expected at least 32 characters").max(512, "expected at most 512 characters"),
    secret: true,
  },
  ENCRYPTION_KEYS: {
    doc: "Keys that seal secrets at rest, `id:secret` with commas between; the first seals, the others only open. A secret is 32 random bytes, url-safe.",
    schema: encryptionKeysVariable(),
    secret: true,
  },
  PUBLIC_URL: {
    doc: "Address at which browsers open the console: issuer of the tokens, the origin cookie routes accept, and what decides on the cookie's flags. The root of a host, without a path.",
    schema: httpUrlVariable().refine(
      (url) => !URL.canParse(url) || new URL(url).href === `${new URL(url).origin}/`,
      "the console can't be below a path: give it a host of its own, such as https://sightline.example.org",
    ),
    default: "http://localhost:3000",
  },
  CODEINDEX_PUBLIC_URL: {
    doc: "Address under which clients reach the code index: tokens of apps are made for the /mcp there. The same as the code index's.",
    schema: httpUrlVariable(),
    default: "http://localhost:8080",
  },
  CORS_ORIGINS: {
    doc: "JSON list of further origins that browsers may call from.",
    schema: jsonListVariable().refine(
      (origins) => origins.every((origin) => URL.canParse(origin) && new URL(origin).origin === origin),
      'expected exact origins without a path, e.g. ["https://sightline.example.org"]',
    ),
    default: "[]",
  },
  ADMIN_EMAIL: {
    doc: "E-mail address of the first admin, made at the first start.",
    schema: emailAddress.optional(),
  },
  ADMIN_PASSWORD: {
    doc: "Password of the first admin (12 to 256 characters, none that is guessed first); without it a one-time password is printed once.",
    schema: z.string().min(12, "expected at least 12 characters").max(256, "expected at most 256 characters").optional(),
    secret: true,
  },
  REGISTRATION: {
    doc: "`open`: anyone may register and becomes a member. `closed`: only the first account can be registered.",
    schema: z.enum(["closed", "open"], "expected closed or open"),
    default: "closed",
  },
  TOTP_WINDOW: {
    doc: "How many steps of 30 s a code of the second factor may be early or late: 1, or 0 for none.",
    schema: integerVariable(0, 1),
    default: "1",
  },
  SMTP_URL: {
    doc: "Mail server: `smtp://user:password@host:port` (STARTTLS is required, except on the machine itself; `?tls=off` and `?tls=required` say otherwise) or `smtps://…`. Without it no mail is sent, and notices are shown in the console alone.",
    schema: mailServerVariable().optional(),
    secret: true,
  },
  SMTP_FROM: {
    doc: "Sender of mails, `name@example.org` or `Name <name@example.org>`; without it sightline@ and the host of PUBLIC_URL.",
    schema: senderVariable().optional(),
  },
  IDENTITY_ALLOW_PRIVATE_HOSTS: {
    doc: "Hosts of your own network that a company's sign-in provider may be at: names (`login.example.org`, `*.corp.example`), addresses or ranges (`10.0.0.0/8`), with commas between. They may be reached without TLS.",
    schema: allowedHostsVariable(),
    default: "",
  },
  IDENTITY_DNS_SERVERS: {
    doc: "Name servers that are asked for the records which prove e-mail domains: addresses (`192.0.2.53`, `[2001:db8::53]:5353`) with commas between. Without it those of the system. Prefer ones that validate DNSSEC.",
    schema: nameServersVariable(),
    default: "",
  },
  ENVIRONMENT: {
    doc: "`production` warns of a console without TLS.",
    schema: z.enum(["development", "staging", "production"], "expected development, staging or production"),
    default: "production",
  },
  AUDIT_ANCHOR_FILE: {
    doc: "File to which the signed end of the audit's chain is appended every hour it moved, one line of JSON; keep it where nobody who can write the database can. `sightline audit verify --anchors` reads it.",
    schema: z.string("expected a path").min(1, "expected a path").optional(),
  },
  AUDIT_ANCHOR_URL: {
    doc: "Address to which the same line is posted.",
    schema: z.url({ protocol: /^https?$/, error: "expected an http or https address" }).optional(),
    secret: true,
  },
  LOG_LEVEL: { doc: "DEBUG, INFO, WARNING or ERROR.", schema: logLevelVariable(), default: "INFO" },
  IDENTITY_PORT: { doc: "Port of the identity API.", schema: portVariable(), default: "8070" },
} as const satisfies Variables;

export type IdentityConfig = ConfigOf<typeof identityVariables>;

function nameServersVariable() {
  return z
    .string()
    .transform((text): readonly string[] => text.split(",").flatMap((entry) => (entry.trim() === "" ? [] : [entry.trim()])))
    .refine(areNameServers, "expected addresses such as 192.0.2.53 or [2001:db8::53]:5353, with commas between");
}

function areNameServers(servers: readonly string[]): boolean {
  try {
    new Resolver().setServers(servers);
    return true;
  } catch {
    return false;
  }
}

const MAIL_PORTS = { "smtp:": 587, "smtps:": 465 } as const;
const LOOPBACK = /^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|::1)$/i;

function mailServerVariable() {
  return z.string("expected text").transform((text, context): MailServer => {
    const server = readMailServer(text);
    if (server === undefined) {
      context.addIssue({
        code: "custom",
        message: "expected smtp://user:password@host:port or smtps://…, with ?tls=off or ?tls=required at the most",
      });
      return z.NEVER;
    }
    return server;
  });
}

function readMailServer(text: string): MailServer | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== "smtp:" && url.protocol !== "smtps:")) {
    return undefined;
  }
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  const tls = readTls(url, host);
  const [user, password] = [url.username, url.password].map(decoded);
  if (
    host === "" ||
    !["", "/"].includes(url.pathname) ||
    url.hash !== "" ||
    tls === undefined ||
    user === undefined ||
    password === undefined
  ) {
    return undefined;
  }
  const port = url.port === "" ? MAIL_PORTS[url.protocol] : Number(url.port);
  return { host, port, tls, ...(user === "" ? { user: undefined, password: undefined } : { user, password }) };
}

function readTls(url: URL, host: string): MailServer["tls"] | undefined {
  const asked = url.search === "" ? undefined : /^\?tls=(off|required)$/.exec(url.search)?.[1];
  if (url.search !== "" && asked === undefined) {
    return undefined;
  }
  if (url.protocol === "smtps:") {
    return asked === "off" ? undefined : "implicit";
  }
  return asked === "off" || (asked === undefined && LOOPBACK.test(host)) ? "off" : "required";
}

function decoded(text: string): string | undefined {
  try {
    const plain = decodeURIComponent(text);
    return /\p{Cc}/u.test(plain) ? undefined : plain;
  } catch {
    return undefined;
  }
}

const SENDER = /^(?:(?<name>[^\p{Cc}<>"]*?)\s*<(?<inner>[^\s<>]+)>|(?<bare>[^\s<>]+))$/u;

function senderVariable() {
  return z.string("expected text").transform((text, context): Sender => {
    const { name = "Sightline", inner, bare } = SENDER.exec(text.trim())?.groups ?? {};
    const address = inner ?? bare ?? "";
    if (!EMAIL_ADDRESS.test(address)) {
      context.addIssue({ code: "custom", message: "expected name@example.org or Name <name@example.org>" });
      return z.NEVER;
    }
    return { name, address };
  });
}
