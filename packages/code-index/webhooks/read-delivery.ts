import type { IncomingHttpHeaders } from "node:http";
import { refusal } from "@sightline/foundation/errors";
import type { HostEvent } from "#webhooks/hosts/host-event.ts";
import { readAs, type DeliveryHead, type Header } from "#webhooks/hosts/host.ts";
import { HOSTS } from "#webhooks/hosts/hosts.ts";
import { refused } from "#webhooks/hosts/signature-scheme.ts";

/**
 * Reads which host sent a delivery and how it is signed.
 *
 * @throws {AppError} `auth_failed` (401) when there is no signature, or one that can't be right.
 */
export function readHead(headers: IncomingHttpHeaders): DeliveryHead {
  const header: Header = (name) => {
    const value = headers[name];
    return typeof value === "string" ? value : undefined;
  };
  for (const { provider, readHead: read } of HOSTS) {
    const head = read(header);
    if (head !== undefined) {
      return { provider, ...head };
    }
  }
  throw refused("The delivery's host is not known here.");
}

/**
 * Reads what a delivery tells, out of its body.
 *
 * @throws {AppError} `invalid_push` (400) when the body is not what the host sends for this event.
 */
export function readEvent({ provider, event }: DeliveryHead, body: Buffer): HostEvent {
  const { events = {}, expected } = HOSTS.find((host) => host.provider === provider) ?? {};
  try {
    return readAs(events, event, () => JSON.parse(body.toString("utf8")));
  } catch (error) {
    throw refusal(400, "invalid_push", `The body is not a ${event.slice(0, 50)} event of ${expected}.`, { cause: error });
  }
}
