import "@mantine/core/styles/Checkbox.layer.css";
import { Button, Menu, Text, Checkbox, Modal, TextInput } from "@mantine/core";
import type { View, ChangeViewRequest } from "@sightline/observability/contract";
import { IconBookmark, IconChevronDown, IconDeviceFloppy, IconPencil, IconPin, IconPlus, IconTrash, IconUsers } from "@tabler/icons-react";
import { useQuery, useQueryClient, useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useApi } from "#http/api-context.ts";
import { viewsQuery, changeView, createView, deleteView } from "#features/traces/api/views.ts";
import { type ListState, applyView, isReadable, isView } from "./list-state.ts";
import { useDefaultView } from "./use-default-view.ts";
import { notifications } from "@mantine/notifications";
import { failureTitle } from "#ui/kit/failure-title.ts";
import { ConfirmDialog, DialogForm } from "#ui/kit/dialogs.tsx";

type Dialog = { readonly kind: "save" } | { readonly kind: "rename" | "delete"; readonly view: View };

type ViewMenuProps = { readonly projectId: string; readonly state: ListState; readonly onChange: (state: ListState) => void };

/** Saved views: opened, and made of what is shown; one's own and those that somebody shared. */
export function ViewMenu({ projectId, state, onChange }: ViewMenuProps) {
  const views = useQuery(viewsQuery(useApi(), projectId));
  const actions = useViewActions(projectId, state);
  const [usual, setUsual] = useDefaultView(projectId);
  const [dialog, setDialog] = useState<Dialog>();
  // The one that was opened last, so that it can be changed.
  const [openedId, setOpenedId] = useState<string>();
  const all = views.data?.items ?? [];
  const current = all.find((view) => isView(state, view)) ?? all.find(({ id }) => id === openedId);
  const isChanged = current !== undefined && !isView(state, current);
  const open = (view: View) => {
    setOpenedId(view.id);
    onChange(applyView(state, view));
  };
  return (
    <>
      <Menu position="bottom-start" width={290} withinPortal={false}>
        <Menu.Target>
          <Button variant="default" leftSection={<IconBookmark size={16} />} rightSection={<IconChevronDown size={14} />}>
            {current === undefined ? "Views" : `${current.name}${isChanged ? " (changed)" : ""}`}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {views.error !== null && <Menu.Label>The views could not be loaded: {views.error.message}</Menu.Label>}
          {views.data !== undefined && all.length === 0 && (
            <Menu.Label>A view keeps query, order and columns. None is saved yet.</Menu.Label>
          )}
          {all.map((view) => (
            <Menu.Item
              key={view.id}
              aria-current={view.id === current?.id && !isChanged ? "true" : undefined}
              leftSection={view.id === usual ? <IconPin size={15} aria-label="Opened first" /> : <IconBookmark size={15} />}
              rightSection={
                view.shared ? (
                  <Text size="xs" c="dimmed">
                    shared
                  </Text>
                ) : null
              }
              onClick={() => open(view)}
            >
              {view.name}
            </Menu.Item>
          ))}
          <Menu.Divider />
          <Menu.Item leftSection={<IconPlus size={15} />} disabled={!isReadable(state.q)} onClick={() => setDialog({ kind: "save" })}>
            Save as a new view…
          </Menu.Item>
          {current !== undefined && (
            <>
              {current.can_change && (
                <Menu.Item
                  leftSection={<IconDeviceFloppy size={15} />}
                  disabled={!isChanged || !isReadable(state.q)}
                  onClick={() => actions.update(current)}
                >
                  Save changes to “{current.name}”
                </Menu.Item>
              )}
              <Menu.Item leftSection={<IconPin size={15} />} onClick={() => setUsual(current.id === usual ? undefined : current.id)}>
                {current.id === usual ? "No longer open it first" : "Open it first, in this browser"}
              </Menu.Item>
              {current.can_change && (
                <>
                  <Menu.Item leftSection={<IconUsers size={15} />} onClick={() => actions.share(current, !current.shared)}>
                    {current.shared ? "Stop sharing it" : "Share it with the project"}
                  </Menu.Item>
                  <Menu.Item leftSection={<IconPencil size={15} />} onClick={() => setDialog({ kind: "rename", view: current })}>
                    Rename…
                  </Menu.Item>
                  <Menu.Item leftSection={<IconTrash size={15} />} onClick={() => setDialog({ kind: "delete", view: current })}>
                    Delete…
                  </Menu.Item>
                </>
              )}
            </>
          )}
        </Menu.Dropdown>
      </Menu>
      {(dialog?.kind === "save" || dialog?.kind === "rename") && (
        <NameView
          title={dialog.kind === "save" ? "Save as a view" : `Rename “${dialog.view.name}”`}
          initial={dialog.kind === "save" ? "" : dialog.view.name}
          mayShare={dialog.kind === "save"}
          onSave={async (name, shared) => {
            const saved = await (dialog.kind === "save" ? actions.create(name, shared) : actions.rename(dialog.view, name));
            setOpenedId(saved.id);
          }}
          onClose={() => setDialog(undefined)}
        />
      )}
      {dialog?.kind === "delete" && (
        <DeleteView view={dialog.view} onDelete={() => actions.remove(dialog.view)} onClose={() => setDialog(undefined)} />
      )}
    </>
  );
}

/** What can be done with saved views; afterwards the list of them is loaded anew. */
function useViewActions(projectId: string, { q, sort, order, columns }: ListState) {
  const api = useApi();
  const queries = useQueryClient();
  const shown = { query: q.trim(), sort, order, columns: [...columns] };

  async function done<Result>(changing: Promise<Result>): Promise<Result> {
    const result = await changing;
    await queries.invalidateQueries({ queryKey: viewsQuery(api, projectId).queryKey });
    return result;
  }

  /** For what has no dialog that could say what went wrong. */
  function change(view: View, what: ChangeViewRequest, message: string): void {
    done(changeView(api, projectId, view.id, what)).then(
      () => notifications.show({ color: "green", message }),
      (error: Error) =>
        notifications.show({ color: "red", title: failureTitle(error, `“${view.name}” was not changed`), message: error.message }),
    );
  }

  return {
    create: (name: string, shared: boolean) => done(createView(api, projectId, { ...shown, name, shared })),
    rename: (view: View, name: string) => done(changeView(api, projectId, view.id, { name })),
    update: (view: View) => change(view, shown, `“${view.name}” is as you see it now.`),
    share: (view: View, shared: boolean) =>
      change(view, { shared }, shared ? `Everybody in the project sees “${view.name}”.` : `Only you see “${view.name}”.`),
    remove: (view: View) => done(deleteView(api, projectId, view.id)),
  };
}

type NameViewProps = {
  readonly title: string;
  readonly initial: string;
  readonly mayShare: boolean;
  readonly onSave: (name: string, shared: boolean) => Promise<unknown>;
  readonly onClose: () => void;
};

function NameView({ title, initial, mayShare, onSave, onClose }: NameViewProps) {
  const [name, setName] = useState(initial);
  const [shared, setShared] = useState(false);
  const save = useMutation({ mutationFn: () => onSave(name.trim(), shared), onSuccess: onClose });
  return (
    <Modal opened onClose={onClose} title={title}>
      <DialogForm change={save} submit="Save" disabled={name.trim() === ""} onSubmit={() => save.mutate()} onCancel={onClose}>
        <TextInput
          label="Name"
          description="It keeps the query, the order and the columns; not the time range."
          placeholder="Slow refunds"
          maxLength={100}
          data-autofocus
          value={name}
          error={save.error?.message}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        {mayShare && (
          <Checkbox
            label="Everybody who sees the project sees it"
            checked={shared}
            onChange={(event) => setShared(event.currentTarget.checked)}
          />
        )}
      </DialogForm>
    </Modal>
  );
}

type DeleteViewProps = { readonly view: View; readonly onDelete: () => Promise<unknown>; readonly onClose: () => void };

function DeleteView({ view, onDelete, onClose }: DeleteViewProps) {
  const remove = useMutation({ mutationFn: onDelete, onSuccess: onClose });
  return (
    <ConfirmDialog
      opened
      title={`Delete “${view.name}”?`}
      change={remove}
      cancel="Cancel"
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      <Text>{view.shared ? "It is gone for everybody in the project. " : ""}The traces stay.</Text>
      {remove.error !== null && (
        <Text c="var(--sl-bad)" role="alert">
          {remove.error.message}
        </Text>
      )}
    </ConfirmDialog>
  );
}
