-- The few payloads that are neither an observation's start nor its end, so that those of one step, and of a graph's beginning, are found
-- without looking through a whole trace.
create index payloads_beside on observability.payloads (project_id, trace_id, owner_id) where part in ('update', 'enter');

-- What changed of late, for watchers whom no message reaches.
create index producers_gone on observability.producers (gone_at) where gone_at is not null;
