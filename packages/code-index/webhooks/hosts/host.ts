import type { WebhookProvider } from "#contract.ts";
import type { z } from "zod";
import type { HostEvent } from "./host-event.ts";
import type { SignatureScheme } from "./signature-scheme.ts";

/** The facts that the headers of a delivery give. */
export type DeliveryHead = {
  readonly provider: WebhookProvider;
  readonly event: string;
  /** The host's own identifier, the same when it sends the delivery again; `undefined` where it gives none. */
  readonly deliveryId: string | undefined;
  readonly signature: SignatureScheme;
};

export type Header = (name: string) => string | undefined;

/** How a host's events are read, by their names. */
export type HostEvents = Readonly<Record<string, "ping" | z.ZodType<HostEvent>>>;

/** A kind of git host that sends webhooks. A new one is a file, its line in hosts.ts, and its row in contract/webhook-hosts.ts. */
export type WebhookHost = {
  readonly provider: WebhookProvider;
  /**
   * Undefined when another host sent the delivery.
   *
   * @throws {AppError} `auth_failed` (401) when there is no signature, or one that can't be right.
   */
  readonly readHead: (header: Header) => Omit<DeliveryHead, "provider"> | undefined;
  readonly events: HostEvents;
  /** Whose body a refusal asks for, and what has to be in it. */
  readonly expected: string;
  /** Fields of the body that name the repository, and how. Bitbucket Server names the key of a project and the slug of a repository. */
  readonly naming: Readonly<Record<string, "name" | "address" | "key" | "slug">>;
};

/** `parse` is called only for events that are used: the others may hold anything. */
export function readAs(events: HostEvents, name: string, parse: () => unknown): HostEvent {
  const event = Object.hasOwn(events, name) ? events[name] : undefined;
  if (event === undefined) {
    return { kind: "unused" };
  }
  return event === "ping" ? { kind: "ping" } : event.parse(parse());
}
