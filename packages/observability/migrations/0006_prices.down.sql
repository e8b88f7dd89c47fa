drop function observability.price_of(uuid, text, timestamptz);
drop function observability.priced_name(text);
drop table observability.prices, observability.default_prices;
alter table observability.observations drop column model, drop column uncached_tokens, drop column hour;
