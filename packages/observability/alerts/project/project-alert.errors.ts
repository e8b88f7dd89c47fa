import { AppError } from "@sightline/foundation/errors";
import { MAX_CHANNELS } from "./alert-channels.store.ts";
import { MAX_RULES } from "./alert-rules.store.ts";

export function alertRuleNotFound(): AppError {
  return new AppError({
    code: "alert_rule_not_found",
    status: 404,
    message: "There is no such alert rule in this project. GET …/alert-rules lists them.",
  });
}

export function alertChannelNotFound(): AppError {
  return new AppError({
    code: "alert_channel_not_found",
    status: 404,
    message: "There is no such alert channel in this project. GET …/alert-channels lists them.",
  });
}

export function invalidAlertRule(path: string, message: string): AppError {
  return new AppError({
    code: "invalid_alert_rule",
    status: 400,
    message: `The rule can't be kept: ${message}.`,
    details: [{ path, message }],
  });
}

export function addressRefused(message: string): AppError {
  return new AppError({ code: "address_refused", status: 400, message, details: [{ path: "url", message }] });
}

export function tooManyAlertRules(): AppError {
  return new AppError({
    code: "too_many_alert_rules",
    status: 409,
    message: `A project has ${MAX_RULES} alert rules at the most. Delete some.`,
  });
}

export function tooManyAlertChannels(): AppError {
  return new AppError({
    code: "too_many_alert_channels",
    status: 409,
    message: `A project has ${MAX_CHANNELS} alert channels at the most. Delete some.`,
  });
}

export function noEncryptionKeys(cause: unknown): AppError {
  return new AppError({
    code: "encryption_keys_missing",
    status: 409,
    message: "A channel's address is kept sealed, and this server has no keys for that: the operator has to set ENCRYPTION_KEYS.",
    cause,
  });
}
