-- Who may see a project: everybody of its tenant, or its members and the tenant's admins. What stood before stays open as it was.
alter table observability.projects add column access text not null default 'tenant' check (access in ('tenant', 'members'));
alter table observability.projects alter column access set default 'members';

create table observability.project_members (
  project_id uuid not null references observability.projects (id) on delete cascade,
  -- The access token's sub.
  user_id text not null,
  role text not null check (role in ('viewer', 'editor', 'owner')),
  added_at timestamptz not null default now(),
  added_by text not null,
  primary key (project_id, user_id)
);
create index project_members_by_user on observability.project_members (user_id, project_id);
