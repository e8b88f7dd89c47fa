import { Button, Title } from "@mantine/core";
import { type ReactNode, useState } from "react";
import classes from "./section.module.css";

/** Content under its title. What is not shown as the JSON that it is has that one click away. */
export function Section({ title, json, children }: { readonly title: string; readonly json?: ReactNode; readonly children: ReactNode }) {
  const [isJson, setJson] = useState(false);
  return (
    <section className={classes.section}>
      <div className={classes.head}>
        <Title order={3}>{title}</Title>
        {json !== undefined && (
          <Button
            size="compact-xs"
            variant={isJson ? "light" : "subtle"}
            color={isJson ? "blue" : "gray"}
            aria-pressed={isJson}
            aria-label={`${title} as JSON`}
            onClick={() => setJson(!isJson)}
          >
            JSON
          </Button>
        )}
      </div>
      {isJson ? json : children}
    </section>
  );
}
