-- The image of PostgreSQL runs this once, when its data folder is new: two users that are no superusers, each with a database of its own,
-- so that what reads other people's repositories reaches no account.
\set ON_ERROR_STOP on
\getenv database POSTGRES_DB
\getenv accounts_password ACCOUNTS_POSTGRES_PASSWORD
\getenv code_password CODEINDEX_POSTGRES_PASSWORD
create role sightline_accounts login password :'accounts_password';
-- The code index makes a role for each tenant.
create role sightline_code login createrole password :'code_password';
create database sightline_code owner sightline_code;
alter database :"database" owner to sightline_accounts;
revoke connect on database sightline_code, :"database" from public;
\connect sightline_code
create extension vector;
create extension pg_trgm;
