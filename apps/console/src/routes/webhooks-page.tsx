import { deliveryStatusSchema } from "@sightline/code-index/contract";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useMe } from "#features/auth/api/me.ts";
import { repositoriesQuery } from "#features/repositories/api/repositories.ts";
import type { DeliveryFilter } from "#features/webhooks/api/deliveries.ts";
import { STATUSES } from "#features/webhooks/delivery-labels.ts";
import { DeliveryList } from "#features/webhooks/components/delivery-list.tsx";
import { WebhookRecipe } from "#features/webhooks/components/webhook-recipe.tsx";
import { PageHeader } from "#ui/page/page-header.tsx";
import { Page } from "#ui/page/page.tsx";
import { RepositoryFilters } from "#ui/kit/repository-filters.tsx";

const route = getRouteApi("/signed-in/code/webhooks");

const CHOICES = deliveryStatusSchema.options.map((value) => ({ value, label: STATUSES[value].label }));

export function WebhooksPage() {
  const { status, repository } = route.useSearch();
  const navigate = route.useNavigate();
  const me = useMe();
  const repositories = useQuery(repositoriesQuery);
  const filter: DeliveryFilter = { status: deliveryStatusSchema.safeParse(status).data, repositoryId: repository };

  function show({ status: wanted, repositoryId }: DeliveryFilter): void {
    void navigate({ search: { status: wanted, repository: repositoryId } });
  }

  return (
    <Page>
      <PageHeader title="Webhooks" description="Webhook deliveries from the last 30 days and their results." />
      <RepositoryFilters filter={filter} repositories={repositories} statuses={CHOICES} onChange={show} />
      <DeliveryList
        filter={filter}
        mayReplay={me.role === "admin"}
        recipe={<WebhookRecipe ownSecret={false} />}
        onUnfiltered={() => show({ status: undefined, repositoryId: undefined })}
      />
    </Page>
  );
}
