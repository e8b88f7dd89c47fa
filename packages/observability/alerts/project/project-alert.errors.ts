import { refusal } from "@sightline/foundation/errors";
import { MAX_CHANNELS } from "./alert-channels.store.ts";
import { NOT_OWN_ADDRESS } from "./tell-channel.ts";
import { MAX_RULES } from "./alert-rules.store.ts";

export const alertRuleNotFound = () =>
  refusal(404, "alert_rule_not_found", "There is no such alert rule in this project. GET …/alert-rules lists them.");
export const alertChannelNotFound = () =>
  refusal(404, "alert_channel_not_found", "There is no such alert channel in this project. GET …/alert-channels lists them.");
export const invalidAlertRule = (path: string, message: string) =>
  refusal(400, "invalid_alert_rule", `The rule can't be kept: ${message}.`, { details: [{ path, message }] });
export const addressRefused = (message: string) => refusal(400, "address_refused", message, { details: [{ path: "url", message }] });
export const notOwnAddress = () =>
  refusal(400, "address_refused", NOT_OWN_ADDRESS, { details: [{ path: "email", message: NOT_OWN_ADDRESS }] });
export const mailNotConfigured = () =>
  refusal(409, "mail_not_configured", "This Sightline sends no mail: its operator sets SMTP_URL for that.");
export const tooManyAlertRules = () =>
  refusal(409, "too_many_alert_rules", `A project has ${MAX_RULES} alert rules at the most. Delete some.`);
export const tooManyAlertChannels = () =>
  refusal(409, "too_many_alert_channels", `A project has ${MAX_CHANNELS} alert channels at the most. Delete some.`);
export const noEncryptionKeys = (cause: unknown) =>
  refusal(
    409,
    "encryption_keys_missing",
    "A channel's address is kept sealed, and this server has no keys for that: the operator has to set ENCRYPTION_KEYS.",
    { cause },
  );
