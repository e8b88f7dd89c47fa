drop index observability.producers_gone;
drop index observability.payloads_beside;
