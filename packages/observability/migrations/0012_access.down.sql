drop table observability.project_members;
alter table observability.projects drop column access;
