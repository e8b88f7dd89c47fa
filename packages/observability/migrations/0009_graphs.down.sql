drop function observability.beginning_of, observability.segments_of;
drop index observability.traces_paused;
drop index observability.traces_resumed;
alter table observability.traces drop column paused_at, drop column resumed_from, drop column resumed_at;

delete from observability.payloads where part = 'enter';
alter table observability.payloads drop constraint payloads_part_check;
alter table observability.payloads add constraint payloads_part_check check (part in ('start', 'end', 'update'));

alter table observability.observations drop column graph_step, drop column next;
