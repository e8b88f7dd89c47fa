import { Button } from "@mantine/core";
import { useNetwork } from "@mantine/hooks";
import { IconCloudOff, IconRefreshAlert } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import type { AnyRouter } from "@tanstack/react-router";
import { useEffect, useRef, useSyncExternalStore } from "react";
import type { Away, Connection } from "#http/connection.ts";
import type { Fetch } from "#http/send.ts";
import { missingPart } from "#ui/page/lazy-part.ts";
import classes from "./connection-banner.module.css";

const NAMES: Readonly<Record<Away, string>> = {
  console: "Sightline",
  identity: "The login",
  "code-index": "Code search",
  observability: "Observability",
};
const LOOK_MS = 3_000;

type ConnectionBannerProps = {
  readonly connection: Connection;
  /** The one that the connection watches. */
  readonly fetch: Fetch;
  readonly router: AnyRouter;
};

/** Says who can't be reached while that is so, and loads again what failed once it is over; what was typed stays on the page. */
export function ConnectionBanner({ connection, fetch, router }: ConnectionBannerProps) {
  const away = useSyncExternalStore(connection.subscribe, connection.away);
  const isMissing = useSyncExternalStore(missingPart.subscribe, missingPart.get);
  const { online } = useNetwork();
  const isCutOff = !online || away.length > 0;
  useRecovery(isCutOff, router);

  useEffect(() => {
    if (!online || away.length === 0) {
      return undefined;
    }
    const look = (who: Away): void => void fetch(`/api/${who === "console" ? "identity" : who}/health`, {}).catch(() => undefined);
    const timer = setInterval(() => away.forEach(look), LOOK_MS);
    return () => clearInterval(timer);
  }, [away, online, fetch]);

  return (
    <div role="status" className={classes.area}>
      {isCutOff && (
        <div className={classes.banner}>
          <IconCloudOff size={18} aria-hidden="true" />
          {online ? `${namesOf(away)} can't be reached. Trying again…` : "You are offline."} What you typed stays here.
        </div>
      )}
      {isMissing && (
        <div className={classes.banner}>
          <IconRefreshAlert size={18} aria-hidden="true" />
          Sightline was upgraded, or lost a file of this page. Reload it once you have sent what you typed.
          <Button size="compact-sm" onClick={() => window.location.reload()}>
            Reload
          </Button>
        </div>
      )}
    </div>
  );
}

/** Tries again what failed, when the connection is back. */
function useRecovery(isCutOff: boolean, router: AnyRouter): void {
  const queries = useQueryClient();
  const wasCutOff = useRef(false);
  useEffect(() => {
    if (wasCutOff.current && !isCutOff) {
      void queries.refetchQueries({ type: "active", predicate: ({ state }) => state.error !== null });
      if (router.state.matches.some(({ status }) => status === "error")) {
        void router.invalidate();
      }
    }
    wasCutOff.current = isCutOff;
  }, [isCutOff, queries, router]);
}

/** “Code search and Observability” */
function namesOf(away: readonly Away[]): string {
  return away.includes("console") ? NAMES.console : away.map((who) => NAMES[who]).join(" and ");
}
