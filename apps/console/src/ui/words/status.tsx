import { Text } from "@mantine/core";
import type { ReactNode } from "react";
import classes from "./status.module.css";

export type Tone = "ok" | "bad" | "warn" | "busy" | "idle";

/** A state in words, with a dot of its colour: never colour alone. */
export function Status({ tone, children }: { readonly tone: Tone; readonly children: ReactNode }) {
  return (
    <span className={classes.status}>
      <span className={classes.dot} data-tone={tone} aria-hidden="true" />
      {children}
    </span>
  );
}

/** Stands where a value is missing. */
export function NoValue({ children = "–" }: { readonly children?: string | undefined }) {
  return (
    <Text inherit c="dimmed">
      {children}
    </Text>
  );
}
