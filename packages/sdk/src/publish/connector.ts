import { PublishFailure } from "./publish-failure.ts";
import type { StreamConnection } from "./stream-connection.ts";
import type { Warnings } from "../settings/warnings.ts";

/** The way to Redis: one connection at a time, opened again when it broke, and a back-off that grows with each failure in a row. */
export type Connector = ReturnType<typeof createConnector>;

const FIRST_BACKOFF = 250;
const MAX_BACKOFF = 30_000;

export function createConnector(open: (timeout: number) => Promise<StreamConnection>, onOpened: () => void, warnings: Warnings) {
  let connection: StreamConnection | undefined;
  let connecting: Promise<StreamConnection> | undefined;
  let awaiting = 0;
  let isClosed = false;
  let failures = 0;
  let failure: PublishFailure | undefined;
  let resumesAt = 0;

  const reconnect = async (timeout: number): Promise<StreamConnection> => {
    connection?.close();
    connection = undefined;
    const opened = await open(timeout);
    if (isClosed) {
      opened.close();
      throw new PublishFailure("disconnected", "the publisher is closed");
    }
    opened.keepAlive(awaiting > 0);
    connection = opened;
    onOpened();
    return opened;
  };

  const countAwaiting = (change: 1 | -1) => {
    awaiting += change;
    connection?.keepAlive(awaiting > 0);
  };

  return {
    /** The open connection, or a new one; callers at the same time get the same. Throws a PublishFailure within the time-out. */
    connect(timeout: number): Promise<StreamConnection> {
      if (connection?.isOpen() === true) {
        return Promise.resolve(connection);
      }
      connecting ??= reconnect(timeout).finally(() => {
        connecting = undefined;
      });
      return connecting;
    },
    /** Runs what a caller awaits. Only meanwhile does the socket keep the process alive. */
    async keepAliveDuring<T>(work: () => Promise<T>): Promise<T> {
      countAwaiting(1);
      try {
        return await work();
      } finally {
        countAwaiting(-1);
      }
    },
    /** Closes the connection; the next call opens another. */
    disconnect: () => connection?.close(),
    /** Closes for good; a connection that is still being opened is closed as soon as it is there. */
    close() {
      isClosed = true;
      connection?.close();
      connection = undefined;
    },
    succeeded() {
      failures = 0;
      failure = undefined;
    },
    failed(reported: PublishFailure) {
      failures += 1;
      failure = reported;
      const backoff = Math.min(MAX_BACKOFF, FIRST_BACKOFF * 2 ** Math.min(failures - 1, 10));
      resumesAt = Date.now() + backoff * (0.5 + Math.random() * 0.5);
      warnings.say(reported.reason, `${reported.message}; events wait in this process and the application goes on`);
    },
    /** The last failure, until something succeeds. */
    get failure() {
      return failure;
    },
    /** When the back-off ends, in milliseconds of the clock. */
    get resumesAt() {
      return resumesAt;
    },
  };
}
