import { Button, Group, Paper, SegmentedControl, Stack, Text, TextInput } from "@mantine/core";
import type { Price, Project } from "@sightline/observability/contract";
import { IconPlus, IconSearch } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { typedInto } from "#ui/kit/typed-into.ts";
import { PanelHeader, PanelList } from "#ui/kit/panel.tsx";
import { pricesQuery } from "#features/projects/api/prices.ts";
import { NO_PRICE, priceRows, toPriceText } from "#features/projects/price-table.ts";
import { useNow } from "#ui/time/use-now.ts";
import { OwnersOnly } from "./owners-only.tsx";
import { PriceModal, type PriceIntent } from "./price-modal.tsx";
import { PriceTable } from "./price-table.tsx";
import classes from "./settings.module.css";

export function PriceSettings({ project }: { readonly project: Project }) {
  const prices = useQuery(pricesQuery(project.id));
  const now = useNow();
  const [search, setSearch] = useState("");
  const [shown, setShown] = useState("all");
  const [intent, setIntent] = useState<PriceIntent>();
  const mayChange = project.my_role === "owner";
  const rows = priceRows(prices.data ?? [], { search, ownOnly: shown === "own", now });

  function edit(price: Price): void {
    setIntent({ kind: price.source === null ? "change" : "own", text: toPriceText(price), price });
  }

  return (
    <Stack gap="lg">
      {!mayChange && <OwnersOnly project={project} what="change prices" />}
      <Paper component="section">
        <PanelHeader
          title="Model prices"
          about="US dollars per million tokens. Costs are computed when shown, so a change also applies to stored traces."
        >
          {mayChange && (
            <Button leftSection={<IconPlus size={16} />} onClick={() => setIntent({ kind: "add", text: NO_PRICE, price: undefined })}>
              Add a price
            </Button>
          )}
        </PanelHeader>
        <Group px="lg" pb="md" gap="xs">
          <TextInput
            className={classes.grow}
            aria-label="Filter models"
            placeholder="Filter models"
            leftSection={<IconSearch size={16} />}
            {...typedInto(search, setSearch)}
          />
          <SegmentedControl
            aria-label="Which prices"
            data={[
              { value: "all", label: "All" },
              { value: "own", label: "This project's" },
            ]}
            value={shown}
            onChange={setShown}
          />
        </Group>
        <PanelList
          query={prices}
          items={prices.data && rows}
          failed="The prices could not be loaded"
          rows={5}
          empty={
            <Text px="lg" pb="lg" c="dimmed">
              {search.trim() === "" ? "Using default prices." : "No model matches."}
            </Text>
          }
        >
          {(items) => (
            <PriceTable
              rows={items}
              mayChange={mayChange}
              onEdit={edit}
              onRemove={(price) => setIntent({ kind: "remove", text: toPriceText(price), price })}
            />
          )}
        </PanelList>
      </Paper>
      <PriceModal projectId={project.id} intent={intent} onClose={() => setIntent(undefined)} />
    </Stack>
  );
}
