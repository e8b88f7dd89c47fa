import { createServer, type Server, type Socket } from "node:net";
import type { PGlite } from "@electric-sql/pglite";
import { createNotificationReader, listenedChannel } from "./notifications.ts";
import { createMessageReader, type Batch } from "./wire-messages.ts";

export type WireServer = {
  readonly server: Server;
  /** Ends every connection, rolls back what is open and lets the running statement end. */
  readonly drain: () => Promise<void>;
};

type WireOptions = {
  readonly db: PGlite;
  /** The engine itself failed; nothing can be answered any more. */
  readonly onFailure: (error: unknown) => void;
  /** Milliseconds after which a client that does nothing inside its transaction is disconnected. */
  readonly idleInTransactionMs?: number;
};

type Client = { readonly socket: Socket; readonly channels: Set<string>; closed: boolean };

type Unit = { readonly client: Client; readonly batch: Batch };

const IDLE_IN_TRANSACTION_MS = 60_000;

/** A Sync message ends an unfinished extended query, which a client must not leave behind for the next one. */
const SYNC = new Uint8Array([0x53, 0, 0, 0, 4]);

/**
 * PostgreSQL's wire protocol in front of one PGlite session, for many clients.
 *
 * `@electric-sql/pglite-socket` is not used because it schedules single messages: the Parse of one client can run
 * between another's Parse and Bind ("portal does not exist", or the wrong statement's rows), and a client that is
 * killed while its BEGIN runs leaves a transaction that nobody ends. Here the unit is everything up to the client's
 * next Sync, a client keeps the session while its transaction is open, and a client that goes is rolled back. What one
 * client notifies of reaches all that listen.
 */
export function createWireServer({ db, onFailure, idleInTransactionMs = IDLE_IN_TRANSACTION_MS }: WireOptions): WireServer {
  const clients = new Set<Client>();
  const waiting: Unit[] = [];
  let owner: Client | undefined;
  let running: Promise<void> | undefined;
  let idleTimer: NodeJS.Timeout | undefined;

  function wake(): void {
    running ??= run()
      .catch(onFailure)
      .finally(() => {
        running = undefined;
      });
  }

  async function run(): Promise<void> {
    clearTimeout(idleTimer);
    for (;;) {
      if (owner?.closed === true) {
        await abandon();
        owner = undefined;
      }
      const unit = takeNext();
      if (unit === undefined) {
        break;
      }
      await execute(unit);
    }
    const holder = owner;
    if (holder !== undefined) {
      idleTimer = setTimeout(() => holder.socket.destroy(), idleInTransactionMs);
    }
  }

  function takeNext(): Unit | undefined {
    const index = owner === undefined ? 0 : waiting.findIndex((unit) => unit.client === owner);
    return index === -1 ? undefined : waiting.splice(index, 1)[0];
  }

  async function execute({ client, batch }: Unit): Promise<void> {
    if (client.closed) {
      return;
    }
    const channel = listenedChannel(batch.bytes);
    if (channel !== undefined) {
      client.channels.add(channel);
    }
    const findNotifications = createNotificationReader((channels, message) => notifyOthers(client, channels, message));
    await db.runExclusive(() =>
      db.execProtocolRawStream(batch.bytes, {
        onRawData: (data) => {
          // The engine uses its buffer again, so the bytes are copied.
          const bytes = Buffer.from(data);
          findNotifications(bytes);
          if (!client.closed) {
            client.socket.write(bytes);
          }
        },
      }),
    );
    owner = !batch.complete || db.isInTransaction() ? client : undefined;
  }

  /** Nobody else is being answered just now, so the message stands between two others. */
  function notifyOthers(asking: Client, channel: string, message: Buffer): void {
    for (const other of clients) {
      if (other !== asking && other.channels.has(channel)) {
        other.socket.write(message);
      }
    }
  }

  async function abandon(): Promise<void> {
    await db.runExclusive(() => db.execProtocolRaw(SYNC));
    if (db.isInTransaction()) {
      await db.exec("rollback");
    }
  }

  function accept(socket: Socket): void {
    const client: Client = { socket, channels: new Set(), closed: false };
    clients.add(client);
    socket.setNoDelay(true);
    const read = createMessageReader({
      refuseEncryption: () => socket.write("N"),
      end: () => socket.end(),
      run: (batch) => {
        waiting.push({ client, batch });
        wake();
      },
    });
    socket.on("data", read);
    // A reset connection is a closed one; "close" follows.
    socket.on("error", () => undefined);
    socket.on("close", () => {
      client.closed = true;
      clients.delete(client);
      wake();
    });
  }

  const server = createServer(accept);
  return {
    server,
    drain: async () => {
      clearTimeout(idleTimer);
      waiting.length = 0;
      for (const client of clients) {
        client.closed = true;
        client.socket.destroy();
      }
      wake();
      await running;
    },
  };
}
