import { Title } from "@mantine/core";
import { CopyableBlock } from "#ui/copyable.tsx";
import classes from "./payload.module.css";

/** A value as it was captured: text as text, anything else as JSON; nothing at all when there is none. */
export function Payload({ title, value }: { readonly title: string; readonly value: unknown }) {
  if (value === undefined || value === null || (typeof value === "object" && Object.keys(value).length === 0)) {
    return null;
  }
  return (
    <section className={classes.payload}>
      <Title order={3} mb="xs">
        {title}
      </Title>
      <CopyableBlock text={typeof value === "string" ? value : JSON.stringify(value, null, 2)} label={title.toLowerCase()} />
    </section>
  );
}
