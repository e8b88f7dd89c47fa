import { createHmac } from "node:crypto";
import { SealError } from "@sightline/foundation/secrets/sealing";
import type { AlertChannelKind } from "#contract.ts";
import { alertAddress, alertSentence, linkIssues, slackText, type AlertText } from "./alert-texts.ts";
import type { ObservabilityConfig } from "#config.ts";
import { createChannelSealer, type ChannelSealer } from "./channel-secrets.ts";
import { DeliveryError, postMessage } from "./post-message.ts";

export type ChannelAccess = {
  readonly sealer: ChannelSealer;
  readonly publicUrl: string;
  readonly allowPrivate: boolean;
};

type AccessConfig = Pick<ObservabilityConfig, "ENCRYPTION_KEYS" | "PUBLIC_URL" | "OBSERVABILITY_ALLOW_PRIVATE_WEBHOOKS">;

export function toChannelAccess(config: AccessConfig): ChannelAccess {
  return {
    sealer: createChannelSealer(config.ENCRYPTION_KEYS),
    publicUrl: config.PUBLIC_URL,
    allowPrivate: config.OBSERVABILITY_ALLOW_PRIVATE_WEBHOOKS,
  };
}

type Channel = {
  readonly id: string;
  readonly kind: AlertChannelKind;
  readonly sealed_url: string;
  readonly sealed_secret: string | null;
};

/** A message. `id` stays the same when it is sent again, so that receivers can recognise duplicates. */
type Message = AlertText & { readonly id: string; readonly rule_id: string | null; readonly at: Date };

/**
 * Sends a message to a channel.
 *
 * @returns why it was not delivered; undefined when it was.
 */
export async function tellChannel(
  { sealer, publicUrl, allowPrivate }: ChannelAccess,
  channel: Channel,
  message: Message,
): Promise<string | undefined> {
  try {
    const { url, secret } = sealer.open(channel.id, { sealedUrl: channel.sealed_url, sealedSecret: channel.sealed_secret });
    const body = JSON.stringify(channel.kind === "slack" ? { text: slackText(publicUrl, message) } : webhookBody(publicUrl, message));
    const headers = {
      "x-sightline-delivery": message.id,
      ...(secret === null ? {} : { "x-sightline-signature": `sha256=${createHmac("sha256", secret).update(body).digest("hex")}` }),
    };
    await postMessage({ url, headers, body, allowPrivate });
    return undefined;
  } catch (error) {
    if (error instanceof DeliveryError || error instanceof SealError) {
      return error.message;
    }
    throw error;
  }
}

function webhookBody(publicUrl: string, message: Message): object {
  const { metric, threshold, window_minutes, filter } = message;
  return {
    id: message.id,
    event: message.kind,
    at: message.at.toISOString(),
    text: alertSentence(message),
    url: alertAddress(publicUrl, message),
    project: { id: message.project_id, name: message.project_name },
    rule: message.rule_id === null ? null : { id: message.rule_id, name: message.rule_name, metric, threshold, window_minutes, filter },
    value: message.value,
    ...(message.issues === null ? {} : { issues: linkIssues(publicUrl, message) }),
  };
}
