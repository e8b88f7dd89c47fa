import { createHash, randomUUID } from "node:crypto";
import { findOutcome, insertDelivery, settleDelivery, type DeliveryOutcome } from "./deliveries.store.ts";
import { findPushedRepositories, noteProblem, type WatchedRepository } from "./pushes.store.ts";
import { actOnPush } from "./plan-jobs.ts";
import type { HostEvent } from "#webhooks/hosts/host-event.ts";
import type { DeliveryHead } from "#webhooks/hosts/host.ts";
import { refused } from "#webhooks/hosts/signature-scheme.ts";
import { checkSender, repositoriesThatSigned, type Delivery, type WebhookTools } from "./check-sender.ts";
import { readEvent } from "./read-delivery.ts";

export type TakenDelivery = {
  readonly status: "pong" | "accepted" | "ignored";
  readonly message: string;
  readonly jobs: readonly string[];
};

/**
 * Checks who sent a delivery, and acts on it once, however often and to however many replicas it is sent.
 *
 * @throws {AppError} `auth_failed` (401), after which nothing has changed; `invalid_push` (400).
 */
export async function takeDelivery(tools: WebhookTools, delivery: Delivery): Promise<TakenDelivery> {
  const byServer = await checkSender(tools, delivery);
  const event = readEvent(delivery.head, delivery.body);
  if (event.kind === "ping") {
    return { status: "pong", message: "The webhook is set up.", jobs: [] };
  }
  if (event.kind === "unused") {
    return ignored(`${delivery.head.event.slice(0, 50)} events are not used here`);
  }
  const named = await findPushedRepositories(tools.database, namesOf(event));
  const signedBy = repositoriesThatSigned(tools, delivery, named);
  const opened = named.filter((repository) => (repository.sealed_webhook_secret === null ? byServer : signedBy.has(repository)));
  if (opened.length === 0) {
    if (named.length > 0 || !byServer) {
      throw refused("The delivery is not signed with the secret of the repository it is about.");
    }
    return ignored("no such repository is registered");
  }
  const outcomes = [];
  for (const repository of opened) {
    outcomes.push(await actOnce(tools, { head: delivery.head, event, repository }));
  }
  return summaryOf(outcomes);
}

type Told = Extract<HostEvent, { kind: "push" | "repository" }>;

function namesOf(event: Told) {
  const former = event.kind === "repository" ? event.formerName : undefined;
  return {
    names: [event.push.full_name, ...(former === undefined ? [] : [former])].map((name) => name.toLowerCase()),
    addresses: event.addresses,
  };
}

type Acting = { readonly head: DeliveryHead; readonly event: Told; readonly repository: WatchedRepository };
type Outcome = DeliveryOutcome & { readonly again: boolean };

async function actOnce({ database, clock }: WebhookTools, { head, event, repository }: Acting): Promise<Outcome> {
  const now = clock.now();
  const deliveryId = identify(head);
  return database.query.transaction().execute(async (transaction) => {
    const identity = { provider: head.provider, deliveryId, repoId: repository.id };
    const { tenant_id: tenantId } = repository;
    const id = await insertDelivery(transaction, { ...identity, tenantId, event: head.event.slice(0, 100), push: event.push, now });
    if (id === undefined) {
      const earlier = await findOutcome(transaction, identity);
      return { ...(earlier ?? { status: "ignored", reason: "", jobIds: [] }), again: true };
    }
    const outcome = await actOnPush(database, transaction, { repository, push: event.push, counts: true, now });
    const moved = event.kind === "repository" ? noticeOfMove(event, repository) : undefined;
    if (moved !== undefined) {
      await noteProblem(transaction, { id: repository.id, tenantId, problem: moved });
    }
    const settled = { ...outcome, reason: moved ?? outcome.reason };
    await settleDelivery(transaction, { id, tenantId, ...settled });
    return { ...settled, again: false };
  });
}

/**
 * A delivery may say that a repository has another name now, but not make us fetch from another address: that address may
 * hold what the tenant's credential opens and its members may not see. So an admin is told.
 */
function noticeOfMove(event: Extract<Told, { kind: "repository" }>, repository: WatchedRepository): string | undefined {
  const { full_name: name } = event.push;
  if (event.formerName === undefined || name.toLowerCase() === repository.full_name.toLowerCase()) {
    return undefined;
  }
  return `The host says that the repository is ${name} now. It is still fetched from where it was; if it was moved, change its clone_url.`;
}

/**
 * The host's identifier. Without one nothing tells a repeated delivery from a second push that reads the same ("look at main"),
 * so each counts: one too many costs a look at the host, one too few leaves the searches behind.
 */
function identify({ deliveryId }: DeliveryHead): string {
  if (deliveryId === undefined) {
    return `unnamed:${randomUUID()}`;
  }
  return /^[\x21-\x7e]{1,200}$/.test(deliveryId) ? deliveryId : createHash("sha256").update(deliveryId).digest("hex");
}

function summaryOf(outcomes: readonly Outcome[]): TakenDelivery {
  const jobs = outcomes.flatMap(({ jobIds }) => jobIds);
  const reasons = [...new Set(outcomes.map(({ reason }) => reason).filter((reason) => reason !== ""))].join("; ");
  const again = outcomes.every((outcome) => outcome.again) ? "This delivery was taken before. " : "";
  return outcomes.some(({ status }) => status === "accepted")
    ? { status: "accepted", message: `${again}The push will be indexed.${reasons === "" ? "" : ` Left out: ${reasons}`}`, jobs }
    : { status: "ignored", message: `${again}${reasons}`, jobs };
}

function ignored(message: string): TakenDelivery {
  return { status: "ignored", message, jobs: [] };
}
