drop index observability.ingest_gaps_by_project;
drop index observability.trace_entries_by_end;
drop table observability.alert_notifications;
drop table observability.alert_events;
drop table observability.alert_rules;
drop table observability.alert_channels;
