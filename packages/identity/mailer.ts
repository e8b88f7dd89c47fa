import type { IdentityConfig } from "./config.ts";
import { createMailer, type Mailer } from "./notices/mailer.ts";

export { isOwnAddress } from "./accounts/account.store.ts";

/** The door of whoever sends mail by the operator's server; undefined where there is none. */
export function openMailer(config: Pick<IdentityConfig, "PUBLIC_URL" | "SMTP_FROM" | "SMTP_URL">): Mailer | undefined {
  const { PUBLIC_URL: publicUrl, SMTP_URL: server } = config;
  const from = config.SMTP_FROM ?? { name: "Sightline", address: `sightline@${new URL(publicUrl).hostname}` };
  return server === undefined ? undefined : createMailer({ server, from, publicUrl });
}
