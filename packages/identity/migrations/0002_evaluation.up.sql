-- Whether the app may see issues and experiments, and add items to datasets. Grants from before may not.
alter table identity.oauth_grants add column evaluation boolean not null default false;
