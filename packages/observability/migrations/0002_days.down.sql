create table observability.observations_after (like observability.observations);
insert into observability.observations_after
select observation.*
from observability.observations as observation
join observability.traces as trace
  on trace.project_id = observation.project_id and trace.id = observation.trace_id and trace.day = observation.day;
alter table observability.observations_after drop column day, add primary key (project_id, trace_id, id);

create table observability.payloads_after (like observability.payloads including constraints);
insert into observability.payloads_after
select payload.*
from observability.payloads as payload
join observability.traces as trace
  on trace.project_id = payload.project_id and trace.id = payload.trace_id and trace.day = payload.day;
alter table observability.payloads_after drop column day, add primary key (project_id, trace_id, event_id);

drop table observability.observations, observability.payloads;
alter table observability.observations_after rename to observations;
alter table observability.payloads_after rename to payloads;
alter index observability.observations_after_pkey rename to observations_pkey;
alter index observability.payloads_after_pkey rename to payloads_pkey;

drop function observability.ensure_days();
alter table observability.traces drop column day;
alter table observability.projects drop column retention_days;
alter table observability.blobs drop column used_at;
alter table observability.scores drop column received_at;
alter table observability.producers drop column heard_at;
