import "@mantine/core/styles/Checkbox.layer.css";
import { Button, Menu, Text, Checkbox, Modal, TextInput } from "@mantine/core";
import type { View, ChangeViewRequest } from "@sightline/observability/contract";
import { IconBookmark, IconChevronDown, IconDeviceFloppy, IconPencil, IconPin, IconPlus, IconTrash, IconUsers } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Dimmed } from "#ui/words/dimmed.tsx";
import { useChange } from "#http/use-change.ts";
import { viewsQuery, changeView, createView, deleteView } from "#features/traces/api/views.ts";
import { type ListProps, type ListState, applyView, isReadable, isView } from "#features/traces/list/model/list-state.ts";
import { useDefaultView } from "./use-default-view.ts";
import { notifications } from "@mantine/notifications";
import { failureTitle } from "#ui/kit/failure-title.ts";
import { ConfirmDialog, DialogForm } from "#ui/kit/dialogs.tsx";
import { typedInto } from "#ui/kit/typed-into.ts";

type Dialog = { readonly kind: "save" } | { readonly kind: "rename" | "delete"; readonly view: View };

/** What is changed without a dialog, which could say what went wrong. */
type ViewChange = { readonly view: View; readonly to: ChangeViewRequest; readonly message: string };

/** Saved views: opened, and made of what is shown; one's own and those that somebody shared. */
export function ViewMenu({ projectId, state, onChange }: ListProps) {
  const views = useQuery(viewsQuery(projectId));
  const change = useChange({
    send: ({ view, to }: ViewChange) => changeView(projectId, view.id, to),
    refreshes: [viewsQuery(projectId).queryKey],
    failed: (error, { view }) => failureTitle(error, `“${view.name}” was not changed`),
    onRefreshed: (_view, { message }) => notifications.show({ color: "green", message }),
  });
  const [usual, setUsual] = useDefaultView(projectId);
  const [dialog, setDialog] = useState<Dialog>();
  // The one that was opened last, so that it can be changed.
  const [openedId, setOpenedId] = useState<string>();
  const all = views.data ?? [];
  const current = all.find((view) => isView(state, view)) ?? all.find(({ id }) => id === openedId);
  const isChanged = current !== undefined && !isView(state, current);
  const open = (view: View) => {
    setOpenedId(view.id);
    onChange(applyView(state, view));
  };
  const share = (view: View, shared: boolean) =>
    change.mutate({
      view,
      to: { shared },
      message: shared ? `Everybody in the project sees “${view.name}”.` : `Only you see “${view.name}”.`,
    });
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
              rightSection={view.shared ? <Dimmed size="xs">shared</Dimmed> : null}
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
                  onClick={() => change.mutate({ view: current, to: shownIn(state), message: `“${current.name}” is as you see it now.` })}
                >
                  Save changes to “{current.name}”
                </Menu.Item>
              )}
              <Menu.Item leftSection={<IconPin size={15} />} onClick={() => setUsual(current.id === usual ? undefined : current.id)}>
                {current.id === usual ? "No longer open it first" : "Open it first, in this browser"}
              </Menu.Item>
              {current.can_change && (
                <>
                  <Menu.Item leftSection={<IconUsers size={15} />} onClick={() => share(current, !current.shared)}>
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
          projectId={projectId}
          state={state}
          renamed={dialog.kind === "rename" ? dialog.view : undefined}
          onSaved={setOpenedId}
          onClose={() => setDialog(undefined)}
        />
      )}
      {dialog?.kind === "delete" && <DeleteView projectId={projectId} view={dialog.view} onClose={() => setDialog(undefined)} />}
    </>
  );
}

type NameViewProps = Pick<ListProps, "projectId" | "state"> & {
  /** The one that gets another name; left out for a new one. */
  readonly renamed: View | undefined;
  readonly onSaved: (viewId: string) => void;
  readonly onClose: () => void;
};

function NameView({ projectId, state, renamed, onSaved, onClose }: NameViewProps) {
  const [typed, setTyped] = useState(renamed?.name ?? "");
  const [shared, setShared] = useState(false);
  const name = typed.trim();
  const save = useChange({
    send: () =>
      renamed === undefined ? createView(projectId, { ...shownIn(state), name, shared }) : changeView(projectId, renamed.id, { name }),
    refreshes: [viewsQuery(projectId).queryKey],
    onRefreshed({ id }) {
      onSaved(id);
      onClose();
    },
  });
  return (
    <Modal opened onClose={onClose} title={renamed === undefined ? "Save as a view" : `Rename “${renamed.name}”`}>
      <DialogForm change={save} submit="Save" disabled={name === ""} onSubmit={() => save.mutate()} onCancel={onClose}>
        <TextInput
          label="Name"
          description="It keeps the query, the order and the columns; not the time range."
          placeholder="Slow refunds"
          maxLength={100}
          data-autofocus
          {...typedInto(typed, setTyped)}
          error={save.error?.message}
        />
        {renamed === undefined && (
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

/** What a view keeps of the list. */
function shownIn({ q, sort, order, columns }: ListState) {
  return { query: q.trim(), sort, order, columns: [...columns] };
}

type DeleteViewProps = { readonly projectId: string; readonly view: View; readonly onClose: () => void };

function DeleteView({ projectId, view, onClose }: DeleteViewProps) {
  const refreshes = [viewsQuery(projectId).queryKey];
  const remove = useChange({ send: () => deleteView(projectId, view.id), refreshes, onRefreshed: onClose });
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
