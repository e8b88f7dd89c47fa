import { errorMessage } from "@sightline/foundation/errors";
import { SealError } from "@sightline/foundation/secrets/sealing";
import type { AlertChannelKind } from "#contract.ts";
import { mailText, toRequest, type AlertMessage } from "./channel-requests.ts";
import type { ObservabilityConfig } from "#config.ts";
import { createChannelSealer, type ChannelSealer } from "./channel-secrets.ts";
import { DeliveryError, postMessage } from "./post-message.ts";

type Mail = { readonly id: string; readonly to: string; readonly at: Date; readonly subject: string; readonly text: string };

/** Sends mail. What it throws may be shown: nothing of the mail or of the server's answer is in the message. */
export type SendMail = (mail: Mail, signal: AbortSignal) => Promise<void>;

export type Mailing = {
  readonly send: SendMail;
  /** Whether the address is one that the tenant's alerts may be mailed to: nobody is who did not ask for it. */
  readonly isOwnAddress: (tenantId: string, address: string) => Promise<boolean>;
};

export type ChannelAccess = {
  readonly sealer: ChannelSealer;
  readonly publicUrl: string;
  readonly allowPrivate: boolean;
  /** Undefined where the operator has no mail server. */
  readonly mailing: Mailing | undefined;
};

type AccessConfig = Pick<ObservabilityConfig, "ENCRYPTION_KEYS" | "PUBLIC_URL" | "OBSERVABILITY_ALLOW_PRIVATE_WEBHOOKS">;

export function toChannelAccess(config: AccessConfig, mailing?: Mailing): ChannelAccess {
  return {
    sealer: createChannelSealer(config.ENCRYPTION_KEYS),
    publicUrl: config.PUBLIC_URL,
    allowPrivate: config.OBSERVABILITY_ALLOW_PRIVATE_WEBHOOKS,
    mailing,
  };
}

type Channel = {
  readonly id: string;
  readonly tenant_id: string;
  readonly kind: AlertChannelKind;
  readonly sealed_url: string;
  readonly sealed_secret: string | null;
};

/**
 * Sends a message to a channel.
 *
 * @returns why it was not delivered; undefined when it was.
 */
export async function tellChannel(
  { sealer, publicUrl, allowPrivate, mailing }: ChannelAccess,
  channel: Channel,
  message: AlertMessage,
): Promise<string | undefined> {
  try {
    const secrets = sealer.open(channel.id, { sealedUrl: channel.sealed_url, sealedSecret: channel.sealed_secret });
    if (channel.kind === "email") {
      const to = secrets.url.slice("mailto:".length);
      await mailMessage(mailing, channel.tenant_id, { id: message.id, to, at: message.at, ...mailText(publicUrl, message) });
    } else {
      const { url, body, headers } = toRequest(channel.kind, secrets, { message, publicUrl });
      await postMessage({ url, headers: { "x-sightline-delivery": message.id, ...headers }, body, allowPrivate });
    }
    return undefined;
  } catch (error) {
    if (error instanceof DeliveryError || error instanceof SealError) {
      return error.message;
    }
    throw error;
  }
}

export const NOT_OWN_ADDRESS =
  "Mail goes to accounts of your organization, and to addresses at e-mail domains that it has proven. Invite whoever has this address, or prove its domain under company sign-in.";

/** Shorter than another replica waits before it sends the message itself. */
const MAIL_LIMIT_MS = 20_000;

async function mailMessage(mailing: Mailing | undefined, tenantId: string, mail: Mail): Promise<void> {
  if (mailing === undefined) {
    throw new DeliveryError("This Sightline sends no mail: its operator sets SMTP_URL for that.");
  }
  // Whoever has left since is told no more.
  if (!(await mailing.isOwnAddress(tenantId, mail.to))) {
    throw new DeliveryError(NOT_OWN_ADDRESS);
  }
  try {
    await mailing.send(mail, AbortSignal.timeout(MAIL_LIMIT_MS));
  } catch (error) {
    throw new DeliveryError(`The mail server did not take it (${errorMessage(error)}).`);
  }
}
