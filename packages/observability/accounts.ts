import type { getPrincipal } from "@sightline/foundation/http/principal";
import type { Reader } from "#store/reader.ts";

type Audited = {
  readonly event: "sharing_changed" | "share_link_created" | "share_link_revoked";
  readonly at: Date;
  readonly by: { readonly tenantId: string; readonly userId: string } | undefined;
  readonly client: { readonly ip: string; readonly userAgent: string | undefined };
  readonly details: Readonly<Record<string, string>>;
};

type Mentioned = {
  /** Told once, however often it is asked for. */
  readonly id: string;
  readonly userId: string;
  /** The account that wrote it. */
  readonly by: string;
  readonly at: Date;
  readonly project: string;
  /** The console's page on which it stands. */
  readonly path: string;
};

/** The accounts of those who call, where they are this installation's. */
export type Accounts = {
  readonly audit: (event: Audited) => Promise<void>;
  /** Has somebody told, in the console and where there is a mail server by mail, that a comment mentions them. */
  readonly tellMention: (mention: Mentioned) => Promise<void>;
};

type Action = Pick<Audited, "event" | "at" | "details"> & {
  readonly reader: Reader;
  readonly request: Pick<Parameters<typeof getPrincipal>[0], "ip" | "headers">;
};

/** Has the audit note what somebody does. The two are not in one database: what opens something must not be open before this has succeeded. */
export async function tellAudit(accounts: Accounts | undefined, { reader, request, ...event }: Action): Promise<void> {
  const client = { ip: request.ip, userAgent: request.headers["user-agent"]?.slice(0, 512) };
  await accounts?.audit({ ...event, client, by: reader.kind === "user" ? reader : undefined });
}
