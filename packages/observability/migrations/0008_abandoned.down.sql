drop function observability.status_of(uuid, uuid, date, text, uuid);
drop index observability.traces_running, observability.producers_living;
alter table observability.producers drop column gone_at;
