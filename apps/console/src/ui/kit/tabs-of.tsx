import { Tabs } from "@mantine/core";
import type { ReactNode } from "react";

type Tab = { readonly id: string; readonly label: string; readonly content: ReactNode };

/** One of several contents at a time, beginning with the first. */
export function TabsOf({ tabs, space }: { readonly tabs: readonly Tab[]; /** Above the content. */ readonly space: "sm" | "md" }) {
  return (
    <Tabs defaultValue={tabs[0]?.id ?? null} keepMounted={false}>
      <Tabs.List>
        {tabs.map(({ id, label }) => (
          <Tabs.Tab key={id} value={id}>
            {label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {tabs.map(({ id, content }) => (
        <Tabs.Panel key={id} value={id} pt={space}>
          {content}
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
